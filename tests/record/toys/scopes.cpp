// Scopes whose blocks are known, in code in which a compiler or a program hides who called whom.

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

/// An event of the caller itself, which tells the calls before and behind it apart.
#define TELL_APART() std::free(std::malloc(1))

// ---- a tail call: the caller is in no stack ----

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
    for (int each = 0; each < rounds; ++each) {
        tail_caller(20);
        TELL_APART();
    }
}

// ---- a marked function that is inlined: its blocks are the outer function's too ----

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
    for (int each = 0; each < rounds; ++each) {
        with_inlined(each);
        TELL_APART();
    }
}

// ---- tasks on the threads of a pool: each makes a block for another thread ----

class task_pool {
public:
    task_pool() {
        for (int each = 0; each < workers; ++each) {
            threads_.emplace_back([this] { work(); });
        }
    }
    ~task_pool() {
        add(nullptr);
        for (std::thread& each : threads_) {
            each.join();
        }
    }

    using task = void (*)(int);
    void add(task which, int number = 0) {
        const std::lock_guard<std::mutex> lock(mutex_);
        tasks_.emplace_back(which, number);
        waiting_.notify_one();
    }

private:
    /// A task without a function stays, and ends all threads.
    std::pair<task, int> next() {
        std::unique_lock<std::mutex> lock(mutex_);
        waiting_.wait(lock, [this] { return !tasks_.empty(); });
        const std::pair<task, int> found = tasks_.front();
        if (found.first != nullptr) {
            tasks_.pop_front();
        } else {
            waiting_.notify_all();
        }
        return found;
    }

    OWN_FRAME void work() {
        for (auto [which, number] = next(); which != nullptr; std::tie(which, number) = next()) {
            which(number);
            TELL_APART();
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
        for (int each = 0; each < rounds; ++each) {
            pool.add(&serve, each);
        }
    }
    for (void* const each : results) {
        std::free(each);
    }
}

// ---- coroutines that go on in other threads: each is an instance of a marked scope ----

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
    std::vector<routine> all;
    std::vector<mallard::record::scope> scopes;
    for (int each = 0; each < rounds; ++each) {
        all.push_back(request(each));
        scopes.emplace_back("request");
    }
    for (int turn = 0; turn < 3; ++turn) {
        std::thread([&] {
            for (std::size_t each = 0; each < all.size(); ++each) {
                const auto here = scopes[each].enter();
                all[each].handle.resume();
            }
        }).join();
    }
    scopes.clear();
    for (int each = 0; each < rounds; ++each) {
        std::free(results[each]);
        all[static_cast<std::size_t>(each)].handle.destroy();
    }
}

} // namespace

int main() {
    call_at_the_tail();
    call_with_inlined();
    serve_in_threads();
    resume_in_threads();
}
