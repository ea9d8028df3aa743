/// Bursts of Boost.Container's allocators of version 2, in the shape that the library's have. Both chains are
/// lists through the first words of the blocks, so that one becomes the other without a look at the blocks.
#pragma once

#include <mallard/core/block_chain.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>

namespace bench {

/// Returns: `count` blocks of one element each.
/// Throws: std::bad_alloc.
template <class Allocator>
mallard::block_chain allocate_individual(Allocator&& allocator, std::size_t count) {
    if (count == 0) {
        return {};
    }
    typename std::remove_reference_t<Allocator>::multiallocation_chain chain;
    allocator.allocate_individual(count, chain);
    const auto [first, last] = chain.extract_data();
    return mallard::block_chain(first, last, count);
}

template <class Allocator>
void deallocate_individual(Allocator&& allocator, mallard::block_chain&& blocks) noexcept {
    if (blocks.empty()) {
        return;
    }
    const mallard::block_chain taken(std::move(blocks));
    using allocator_type = std::remove_reference_t<Allocator>;
    using pointer = typename allocator_type::pointer;
    typename allocator_type::multiallocation_chain chain;
    chain.incorporate_after(chain.before_begin(), static_cast<pointer>(taken.front()),
                            static_cast<pointer>(taken.back()), taken.size());
    allocator.deallocate_individual(chain);
}

} // namespace bench
