/// mimalloc's heaps as local allocators: made by mi_heap_new, ended by mi_heap_destroy with all that is in them.
///
/// Configuration: the defaults. mi_heap_destroy is the release of P0089; mi_heap_delete, which hands the
/// blocks that are left to the thread's heap, is for programs that have some left. The library is opened where
/// the first heap is made and not linked: linked, it would be the malloc of the whole process and of every
/// other strategy.
#pragma once

#include "runner/strategy/source_of.hpp"

#include <mimalloc.h>

#include <algorithm>

namespace bench {

struct mimalloc_functions {
    decltype(&mi_heap_new) heap_new;
    decltype(&mi_heap_destroy) heap_destroy;
    decltype(&mi_heap_collect) heap_collect;
    decltype(&mi_heap_malloc) heap_malloc;
    decltype(&mi_free) free;
};

/// Returns: the functions of the library, which is opened by the first call.
/// Throws: std::runtime_error if it cannot be opened.
[[nodiscard]] const mimalloc_functions& mimalloc();

class mimalloc_heap_source {
public:
    mimalloc_heap_source() = default;
    mimalloc_heap_source(const mimalloc_heap_source&) = delete;
    mimalloc_heap_source& operator=(const mimalloc_heap_source&) = delete;
    ~mimalloc_heap_source() { mimalloc().heap_destroy(heap_); }

    [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment) {
        // Blocks of a multiple of 16 bytes are aligned to 16; those of 8 are not.
        void* block = heap_malloc_(heap_, std::max(bytes, alignment));
        if (block == nullptr) [[unlikely]] {
            throw std::bad_alloc();
        }
        return block;
    }

    void deallocate(void* p, std::size_t, std::size_t) noexcept { free_(p); }

    void release() noexcept {
        mimalloc().heap_destroy(heap_);
        heap_ = mimalloc().heap_new();
    }

    void trim() noexcept { mimalloc().heap_collect(heap_, true); }

private:
    mi_heap_t* heap_ = mimalloc().heap_new();
    decltype(&mi_heap_malloc) heap_malloc_ = mimalloc().heap_malloc;
    decltype(&mi_free) free_ = mimalloc().free;
};

template <>
struct source_traits<mechanism_kind::mimalloc_heap> : plain_source<mimalloc_heap_source> {};

} // namespace bench
