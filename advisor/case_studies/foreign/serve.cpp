// The allocator of a build behind malloc's interface, which frees without a size, and behind Lua's, which frees with
// one. It is rewound when no block is live, as in a trial.
#include "advisor/case_studies/foreign/serve.h"

#include "advisor/case_studies/program/build.hpp"
#include "advisor/case_studies/program/sized_blocks.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace {

using blocks = case_studies::sized_blocks<case_studies::build>;

std::size_t live_blocks = 0;

void on_deallocated() {
    if (--live_blocks == 0) {
        case_studies::end_of_scope(blocks::mechanism);
    }
}

} // namespace

void* mallard_allocate(size_t bytes) {
    ++live_blocks;
    return blocks::allocate(bytes);
}

void* mallard_allocate_zeroed(size_t count, size_t bytes) {
    return std::memset(mallard_allocate(count * bytes), 0, count * bytes);
}

void* mallard_reallocate(void* block, size_t bytes) {
    live_blocks += block == nullptr;
    return blocks::reallocate(block, bytes);
}

void mallard_deallocate(void* block) {
    if (block != nullptr) {
        blocks::deallocate(block);
        on_deallocated();
    }
}

char* mallard_duplicate(const char* text) {
    const std::size_t bytes = std::strlen(text) + 1;
    return static_cast<char*>(std::memcpy(mallard_allocate(bytes), text, bytes));
}

void* mallard_serve_lua(void* /*ignored*/, void* block, size_t old_bytes, size_t bytes) {
    constexpr std::size_t alignment = 16;
    void* moved = nullptr;
    if (bytes != 0) {
        ++live_blocks;
        moved = blocks::mechanism.allocate(bytes, alignment);
        if (block != nullptr) {
            std::memcpy(moved, block, std::min(old_bytes, bytes));
        }
    }
    if (block != nullptr) {
        blocks::mechanism.deallocate(block, old_bytes, alignment);
        on_deallocated();
    }
    return moved;
}
