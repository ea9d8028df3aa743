// A coroutine that another thread resumes after each step: the instance moves along.
#include "recorder/marks/toys/toy.hpp"

#include <mallard/record/scope.hpp>

#include <coroutine>
#include <exception>
#include <thread>
#include <utility>

namespace toy {

namespace {

struct task {
    struct promise_type {
        task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
        static std::suspend_always initial_suspend() noexcept { return {}; }
        static std::suspend_always final_suspend() noexcept { return {}; }
        static void return_void() noexcept {}
        static void unhandled_exception() { std::terminate(); }
    };
    std::coroutine_handle<promise_type> resumable;
};

task steps(std::size_t first) {
    for (std::size_t step_index = 0; step_index < 3; ++step_index) {
        use(first + step_index);
        co_await std::suspend_always{};
    }
}

struct request {
    mallard::record::scope scope{"request"};
    task work;
};

void step(request& running) {
    say(">", "request");
    const auto entered = running.scope.enter();
    running.work.resumable.resume();
    say("<", "request");
}

} // namespace

void hops() {
    say("*", "request");
    request first{.work = steps(8000)};
    say("*", "request");
    request second{.work = steps(8010)};
    for (int turn = 0; turn < 3; ++turn) {
        step(first);
        std::thread([&] { step(second); }).join();
        std::thread([&] { step(first); }).join();
        step(second);
        if (first.work.resumable.done()) {
            break;
        }
    }
    first.work.resumable.destroy();
    second.work.resumable.destroy();
    say("~", "request");
    first.scope.end();
    request moved = std::move(second);
    say("~", "request");
}

} // namespace toy
