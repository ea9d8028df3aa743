// The allocator of a build behind malloc's interface, which frees without a size, and behind Lua's, which frees with
// one. It is rewound when no block is live, as in a trial. Larger blocks stay malloc's, which grows them in place; in
// the null build all do.
#include "advisor/case_studies/foreign/serve.h"

#include "advisor/case_studies/program/build.hpp"
#include "advisor/case_studies/program/sized_blocks.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>
#include <type_traits>

namespace {

using blocks = case_studies::sized_blocks<case_studies::build>;

constexpr std::size_t served_bytes = std::is_same_v<case_studies::build, case_studies::null_build> ? 0 : 4096;
constexpr std::size_t front = blocks::front;

std::size_t live_blocks = 0;

void on_deallocated() {
    if (--live_blocks == 0) {
        case_studies::end_of_scope(blocks::mechanism);
    }
}

/// Of malloc, with its size in front as the others have it. `block` may be null.
void* grow_large(void* block, std::size_t bytes) {
    void* const whole = block == nullptr ? nullptr : static_cast<std::byte*>(block) - front;
    auto* const moved = static_cast<std::byte*>(std::realloc(whole, bytes + front));
    if (moved == nullptr) {
        throw std::bad_alloc();
    }
    std::memcpy(moved, &bytes, sizeof bytes);
    return moved + front;
}

} // namespace

void* mallard_allocate(size_t bytes) {
    ++live_blocks;
    return bytes <= served_bytes ? blocks::allocate(bytes) : grow_large(nullptr, bytes);
}

void* mallard_allocate_zeroed(size_t count, size_t bytes) {
    return std::memset(mallard_allocate(count * bytes), 0, count * bytes);
}

void* mallard_reallocate(void* block, size_t bytes) {
    if (block == nullptr) {
        return mallard_allocate(bytes);
    }
    const std::size_t old_bytes = blocks::block_bytes(block);
    if (old_bytes > served_bytes && bytes > served_bytes) {
        return grow_large(block, bytes);
    }
    void* const moved = mallard_allocate(bytes);
    std::memcpy(moved, block, std::min(old_bytes, bytes));
    mallard_deallocate(block);
    return moved;
}

void mallard_deallocate(void* block) {
    if (block == nullptr) {
        return;
    }
    if (blocks::block_bytes(block) <= served_bytes) {
        blocks::deallocate(block);
    } else {
        std::free(static_cast<std::byte*>(block) - front);
    }
    on_deallocated();
}

char* mallard_duplicate(const char* text) {
    const std::size_t bytes = std::strlen(text) + 1;
    return static_cast<char*>(std::memcpy(mallard_allocate(bytes), text, bytes));
}

void* mallard_serve_lua(void* /*ignored*/, void* block, size_t old_bytes, size_t bytes) {
    constexpr std::size_t alignment = 16;
    const bool was_large = block != nullptr && old_bytes > served_bytes;
    if (was_large && bytes > served_bytes) {
        return std::realloc(block, bytes);
    }
    void* moved = nullptr;
    if (bytes != 0) {
        ++live_blocks;
        moved = bytes > served_bytes ? std::malloc(bytes) : blocks::mechanism.allocate(bytes, alignment);
        if (block != nullptr) {
            std::memcpy(moved, block, std::min(old_bytes, bytes));
        }
    }
    if (was_large) {
        std::free(block);
        on_deallocated();
    } else if (block != nullptr) {
        blocks::mechanism.deallocate(block, old_bytes, alignment);
        on_deallocated();
    }
    return moved;
}
