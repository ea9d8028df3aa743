// Coroutine frames in an arena.
//
// Each call of a coroutine allocates its frame from the global heap, unless the promise has an operator new. That receives the
// coroutine's arguments too, and so the arena.
#include <mallard/mallard.hpp>

#include <coroutine>
#include <exception>
#include <iostream>

namespace {

using arena_type = mallard::counted<mallard::monotonic<>>;

struct generator {
    struct promise_type {
        static void* operator new(std::size_t bytes, arena_type& arena, int) { return arena.allocate(bytes); }
        static void operator delete(void*) noexcept {} // the memory goes with the arena

        generator get_return_object() { return generator(*this); }
        static std::suspend_always initial_suspend() noexcept { return {}; }
        static std::suspend_always final_suspend() noexcept { return {}; }
        std::suspend_always yield_value(int next) noexcept {
            value = next;
            return {};
        }
        static void return_void() noexcept {}
        [[noreturn]] static void unhandled_exception() { std::terminate(); }
        int value = 0;
    };

    explicit generator(promise_type& promise) : frame(decltype(frame)::from_promise(promise)) {}
    generator(const generator&) = delete;
    ~generator() { frame.destroy(); }
    bool next() {
        frame.resume();
        return !frame.done();
    }
    std::coroutine_handle<promise_type> frame;
};

generator count_to(arena_type&, int last) {
    for (int i = 1; i <= last; ++i) {
        co_yield i;
    }
}

} // namespace

int main() {
    arena_type arena;
    int sum = 0;
    for (int request = 1; request <= 100; ++request) {
        for (generator numbers = count_to(arena, request); numbers.next();) {
            sum += numbers.frame.promise().value;
        }
    }
    std::cout << "sum " << sum << ", " << arena.counts().allocations << " frames in the arena\n";
}
