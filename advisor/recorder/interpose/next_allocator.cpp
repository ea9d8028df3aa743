#include "recorder/interpose/next_allocator.hpp"

#include <dlfcn.h>
#include <sched.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>

namespace mallard::recorder {

namespace {

// dlsym may allocate. Before malloc is found, the memory comes from here: a few hundred bytes.
constexpr std::size_t early_bytes = 65'536;
alignas(64) constinit std::byte early[early_bytes]{};
constinit std::atomic<std::size_t> early_used{0};

constinit next_allocator resolved{};
constinit std::atomic<int> state{0}; // 0: not resolved; 1: resolving; 2: resolved
__thread bool resolving [[gnu::tls_model("initial-exec")]] = false;

void* early_memory(std::size_t alignment, std::size_t bytes) noexcept {
    if (alignment < alignof(std::max_align_t)) {
        alignment = alignof(std::max_align_t);
    }
    if (bytes > early_bytes || alignment > 64) {
        errno = ENOMEM;
        return nullptr;
    }
    const std::size_t rounded = (bytes + 63) / 64 * 64;
    const std::size_t at = early_used.fetch_add(rounded, std::memory_order_relaxed);
    if (at + rounded > early_bytes) {
        errno = ENOMEM;
        return nullptr;
    }
    return early + at;
}

constinit const next_allocator early_allocator{
    [](std::size_t bytes) { return early_memory(1, bytes); },
    [](std::size_t count, std::size_t bytes) {
        std::size_t all = 0;
        return __builtin_mul_overflow(count, bytes, &all) ? nullptr : early_memory(1, all); // fresh, so zero
    },
    [](void* old, std::size_t bytes) {
        void* const block = early_memory(1, bytes);
        if (old != nullptr && block != nullptr) {
            const auto behind = static_cast<std::size_t>(early + early_bytes - static_cast<std::byte*>(old));
            std::memcpy(block, old, bytes < behind ? bytes : behind);
        }
        return block;
    },
    [](void*) {},
    [](std::size_t alignment, std::size_t bytes) { return early_memory(alignment, bytes); },
    [](std::size_t alignment, std::size_t bytes) { return early_memory(alignment, bytes); },
    [](void** block, std::size_t alignment, std::size_t bytes) {
        *block = early_memory(alignment, bytes);
        return *block == nullptr ? ENOMEM : 0;
    },
    [](std::size_t bytes) { return early_memory(64, bytes); },
    [](std::size_t bytes) { return early_memory(64, bytes); },
};

template <typename Function>
void resolve(Function& function, const char* name) noexcept {
    function = reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}

[[gnu::noinline]] const next_allocator& resolve_all() noexcept {
    if (resolving) {
        return early_allocator;
    }
    int expected = 0;
    if (!state.compare_exchange_strong(expected, 1)) {
        while (state.load(std::memory_order_acquire) != 2) {
            ::sched_yield();
        }
        return resolved;
    }
    resolving = true;
    resolve(resolved.malloc, "malloc");
    resolve(resolved.calloc, "calloc");
    resolve(resolved.realloc, "realloc");
    resolve(resolved.free, "free");
    resolve(resolved.memalign, "memalign");
    resolve(resolved.aligned_alloc, "aligned_alloc");
    resolve(resolved.posix_memalign, "posix_memalign");
    resolve(resolved.valloc, "valloc");
    resolve(resolved.pvalloc, "pvalloc");
    resolving = false;
    state.store(2, std::memory_order_release);
    return resolved;
}

// dlsym needs more stack than a signal handler may have. Most programs have allocated before their first signal.
[[gnu::constructor]] void resolve_early() {
    next();
}

} // namespace

const next_allocator& next() noexcept {
    return state.load(std::memory_order_acquire) == 2 ? resolved : resolve_all();
}

bool is_early(const void* block) noexcept {
    const auto offset = reinterpret_cast<std::uintptr_t>(block) - reinterpret_cast<std::uintptr_t>(early);
    return offset < early_bytes;
}

} // namespace mallard::recorder
