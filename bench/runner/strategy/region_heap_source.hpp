/// A heap in a region, as a source. The workload owns the region, and computes its size.
#pragma once

#include "runner/strategy/source_of.hpp"

#include <mallard/local/region_heap.hpp>

#include <cstddef>
#include <span>

namespace bench {

class region_heap_source {
public:
    explicit region_heap_source(std::span<std::byte> region)
        : heap_(mallard::region_heap::create_in(region)) {}

    [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment) {
        return heap_.allocate(bytes, alignment);
    }

    void deallocate(void* p, std::size_t bytes, std::size_t alignment) noexcept {
        heap_.deallocate(p, bytes, alignment);
    }

    [[nodiscard]] mallard::block_chain allocate_many(std::size_t bytes, std::size_t alignment,
                                                     std::size_t count) {
        return heap_.allocate_many(bytes, alignment, count);
    }

    void deallocate_many(mallard::block_chain&& blocks, std::size_t bytes, std::size_t alignment) noexcept {
        heap_.deallocate_many(std::move(blocks), bytes, alignment);
    }

    [[nodiscard]] mallard::region_heap& heap() noexcept { return heap_; }

private:
    mallard::region_heap& heap_;
};

template <>
struct source_traits<mechanism_kind::region_heap> : plain_source<region_heap_source> {};

} // namespace bench
