// coroutines COUNT: that many coroutines, each suspended once. The body makes a block of its own.
#include <coroutine>
#include <cstdio>
#include <cstdlib>

namespace {

struct task {
    struct promise_type {
        task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
        std::suspend_always initial_suspend() noexcept { return {}; }
        std::suspend_always final_suspend() noexcept { return {}; }
        void return_void() {}
        void unhandled_exception() { std::abort(); }
    };
    std::coroutine_handle<promise_type> handle;
};

volatile int sum = 0;

[[gnu::noinline]] task work(int value) {
    sum = sum + value;
    co_await std::suspend_always{};
    std::free(std::malloc(static_cast<std::size_t>(value % 7)));
    sum = sum + value;
}

[[gnu::noinline]] void run(task running) {
    while (!running.handle.done()) {
        running.handle.resume();
    }
    running.handle.destroy();
}

} // namespace

int main(int words, char** arguments) {
    const int count = words > 1 ? std::atoi(arguments[1]) : 1;
    for (int number = 0; number < count; ++number) {
        run(work(number));
    }
    std::printf("%d\n", sum);
}
