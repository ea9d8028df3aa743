// A coroutine that another thread resumes after each step: its instance goes with it.
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
    for (std::size_t each = 0; each < 3; ++each) {
        use(first + each);
        co_await std::suspend_always{};
    }
}

struct request {
    mallard::record::scope scope{"request"};
    task work;
};

void step(request& one) {
    say(">", "request");
    const auto here = one.scope.enter();
    one.work.resumable.resume();
    say("<", "request");
}

} // namespace

void hops() {
    say("*", "request");
    request one{.work = steps(8000)};
    say("*", "request");
    request other{.work = steps(8010)};
    for (int turn = 0; turn < 3; ++turn) {
        step(one);
        std::thread([&] { step(other); }).join();
        std::thread([&] { step(one); }).join();
        step(other);
        if (one.work.resumable.done()) {
            break;
        }
    }
    one.work.resumable.destroy();
    other.work.resumable.destroy();
    say("~", "request");
    one.scope.end();
    request moved = std::move(other);
    say("~", "request");
}

} // namespace toy
