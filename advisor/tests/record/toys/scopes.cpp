// Scopes with known blocks, in code in which the compiler or the program hides the callers.

#include "mallard/record/scope.hpp"

#include <condition_variable>
#include <coroutine>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#define OWN_FRAME __attribute__((noinline, noclone))
#define NOT_LAST asm volatile("")

namespace {

constexpr int rounds = 200;
constexpr int workers = 3;

/// An event of the caller itself, which separates the calls before and after it.
#define SEPARATE() std::free(std::malloc(1))

// ---- a tail call: the caller is not on the stack ----

OWN_FRAME void tail_callee(std::size_t bytes) {
    void* const first = std::malloc(bytes);
    void* const second = std::malloc(bytes);
    std::free(second);
    std::free(first);
    NOT_LAST;
}

OWN_FRAME void tail_caller(std::size_t bytes) {
    return tail_callee(bytes + 1);
}

OWN_FRAME void call_at_the_tail() {
    for (int round = 0; round < rounds; ++round) {
        tail_caller(20);
        SEPARATE();
    }
}

// ---- a marked function that is inlined: its blocks also belong to the outer function ----

void* escaped[rounds];

__attribute__((always_inline)) inline void inlined(int round) {
    MALLARD_SCOPE("inlined");
    void* const inside = std::malloc(30);
    escaped[round] = std::malloc(31);
    std::free(inside);
}

OWN_FRAME void with_inlined(int round) {
    inlined(round);
    std::free(escaped[round]);
    NOT_LAST;
}

OWN_FRAME void call_with_inlined() {
    for (int round = 0; round < rounds; ++round) {
        with_inlined(round);
        SEPARATE();
    }
}

// ---- tasks on the threads of a pool: each allocates a block for another thread ----

class task_pool {
public:
    task_pool() {
        for (int count = 0; count < workers; ++count) {
            threads_.emplace_back([this] { work(); });
        }
    }
    ~task_pool() {
        add(nullptr);
        for (std::thread& thread : threads_) {
            thread.join();
        }
    }

    using task = void (*)(int);
    void add(task function, int number = 0) {
        const std::lock_guard<std::mutex> lock(mutex_);
        tasks_.emplace_back(function, number);
        waiting_.notify_one();
    }

private:
    /// A task without a function is kept, and ends all threads.
    std::pair<task, int> next() {
        std::unique_lock<std::mutex> lock(mutex_);
        waiting_.wait(lock, [this] { return !tasks_.empty(); });
        const std::pair<task, int> first = tasks_.front();
        if (first.first != nullptr) {
            tasks_.pop_front();
        } else {
            waiting_.notify_all();
        }
        return first;
    }

    OWN_FRAME void work() {
        for (auto [function, number] = next(); function != nullptr; std::tie(function, number) = next()) {
            function(number);
            SEPARATE();
        }
    }

    std::mutex mutex_;
    std::condition_variable waiting_;
    std::deque<std::pair<task, int>> tasks_;
    std::vector<std::thread> threads_;
};

void* results[rounds];

OWN_FRAME void serve(int number) {
    MALLARD_SCOPE("task");
    void* const own = std::malloc(50);
    results[number] = std::malloc(51);
    std::free(own);
    NOT_LAST;
}

OWN_FRAME void serve_in_threads() {
    {
        task_pool pool;
        for (int number = 0; number < rounds; ++number) {
            pool.add(&serve, number);
        }
    }
    for (void* const block : results) {
        std::free(block);
    }
}

// ---- coroutines that continue in other threads: each is an instance of a marked scope ----

struct routine {
    struct promise_type {
        routine get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
        std::suspend_always initial_suspend() noexcept { return {}; }
        std::suspend_always final_suspend() noexcept { return {}; }
        void return_void() {}
        void unhandled_exception() { std::abort(); }
    };
    std::coroutine_handle<promise_type> handle;
};

routine request(int number) {
    void* const first = std::malloc(60);
    co_await std::suspend_always{};
    results[number] = std::malloc(61);
    void* const second = std::malloc(62);
    std::free(first);
    co_await std::suspend_always{};
    std::free(second);
}

void resume_in_threads() {
    std::vector<routine> routines;
    std::vector<mallard::record::scope> scopes;
    for (int number = 0; number < rounds; ++number) {
        routines.push_back(request(number));
        scopes.emplace_back("request");
    }
    for (int turn = 0; turn < 3; ++turn) {
        std::thread([&] {
            for (std::size_t index = 0; index < routines.size(); ++index) {
                const auto entered = scopes[index].enter();
                routines[index].handle.resume();
            }
        }).join();
    }
    scopes.clear();
    for (int index = 0; index < rounds; ++index) {
        std::free(results[index]);
        routines[static_cast<std::size_t>(index)].handle.destroy();
    }
}

} // namespace

int main() {
    call_at_the_tail();
    call_with_inlined();
    serve_in_threads();
    resume_in_threads();
}
