/// Allocators over static memory on a processor without an operating system: no heap, no exceptions, no threads, no code before
/// main. It ends the emulator by semihosting, with the number of failed checks. USE_REGION and USE_POOL choose its parts, whose
/// code tests/platforms/test_platforms.py measures.
#include <mallard/core/failure.hpp>
#include <mallard/local/arenas.hpp>
#include <mallard/local/fixed_pool.hpp>
#include <mallard/local/monotonic.hpp>
#include <mallard/upstream/buffer.hpp>

#include <cstddef>
#include <cstdint>
#include <new>
#include <span>

extern "C" {
extern std::uint32_t bss_begin;
extern std::uint32_t bss_end;
extern std::uint32_t stack_top;
[[noreturn]] void reset();
}

namespace {

[[noreturn]] void end(int status) {
    constexpr std::uint32_t application_exit = 0x20026;
    const std::uint32_t arguments[] = {application_exit, static_cast<std::uint32_t>(status)};
    register std::uint32_t operation asm("r0") = 0x20; // SYS_EXIT_EXTENDED
    register const std::uint32_t* at asm("r1") = arguments;
    asm volatile("bkpt 0xab" : "+r"(operation) : "r"(at) : "memory");
    for (;;) {
    }
}

[[noreturn]] void fault() {
    end(99);
}

[[gnu::section(".vectors"), gnu::used]] const void* const vectors[16] = {
    &stack_top,
    reinterpret_cast<const void*>(reset),
    reinterpret_cast<const void*>(fault),
    reinterpret_cast<const void*>(fault),
};

struct node {
    node* next;
    int value;
};

int failed = 0;

[[maybe_unused]] void expect(bool passed) {
    failed += static_cast<int>(!passed);
}

#ifdef USE_REGION
alignas(16) std::byte memory[2048];

void use_region() {
    mallard::buffer upstream{std::span<std::byte>(memory)};
    mallard::monotonic<mallard::buffer> region{upstream};
    node* head = nullptr;
    for (int i = 0; i != 40; ++i) {
        head = new (region.allocate(sizeof(node), alignof(node))) node{head, i};
    }
    int sum = 0;
    for (; head != nullptr; head = head->next) {
        sum += head->value;
    }
    expect(sum == 780);
}
#endif

#ifdef USE_POOL
constinit mallard::fixed_pool_for<node, mallard::static_arena<4096>> nodes;

void use_pool() {
    node* head = nullptr;
    int count = 0;
    while (void* const p = nodes.try_allocate(sizeof(node), alignof(node))) {
        head = new (p) node{head, count++};
    }
    expect(count == 512);
    while (head != nullptr) {
        node* const freed = head;
        expect(freed->value == --count);
        head = freed->next;
        nodes.deallocate(freed, sizeof(node), alignof(node));
    }
    expect(nodes.allocate(sizeof(node), alignof(node)) != nullptr);
    expect(nodes.capacity() == 512);
}
#endif

} // namespace

extern "C" void reset() {
    for (std::uint32_t* p = &bss_begin; p != &bss_end; ++p) {
        *p = 0;
    }
#ifdef USE_REGION
    use_region();
#endif
#ifdef USE_POOL
    use_pool();
#endif
#ifdef FAIL
    // The handler ends the program, before the trap that ends a failed allocation.
    mallard::set_out_of_memory_handler(
        [](std::size_t bytes, std::size_t) noexcept { end(bytes == 5000 ? 42 : 43); });
    static_cast<void>(mallard::buffer(std::span<std::byte>(memory)).allocate(5000, 8));
#endif
    end(failed);
}
