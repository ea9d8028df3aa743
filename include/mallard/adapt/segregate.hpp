/// Small blocks from one mechanism, large ones from another.
///
///     mallard::segregate<256, mallard::multipool<>, mallard::heap<>> memory;
///
///     allocate(bytes), deallocate(p, bytes):   bytes <= LargestSmall ?  first()  :  second()
///
/// Data model: the two mechanisms, and nothing else: the bytes of a request decide, when a block comes and when it
/// goes. If they are constant, the compiler decides. More classes are a segregate of segregates.
///
/// Source: segregator of foonathan/memory; A. Alexandrescu, "std::allocator is to allocation what std::vector is to
/// vexation" (CppCon 2015).
#pragma once

#include <mallard/adapt/two_mechanisms.hpp>
#include <mallard/core/alignment.hpp>
#include <mallard/core/block_chain.hpp>
#include <mallard/core/build_mode.hpp>
#include <mallard/core/burst.hpp>
#include <mallard/core/cancellation.hpp>
#include <mallard/core/quiet_request.hpp>
#include <mallard/core/thread_safe.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>

namespace mallard { inline namespace MALLARD_MODE {

/// Requests of at most `LargestSmall` bytes are small. Thread-safe only if both mechanisms are.
template <std::size_t LargestSmall, class Small, class Large>
class segregate : public adapt::two_mechanisms<Small, Large> {
    using base = adapt::two_mechanisms<Small, Large>;

public:
    /// The mechanism that decides how a request fails.
    using upstream_type = std::conditional_t<core::fails_recoverably<typename base::first_type>,
                                             typename base::second_type, typename base::first_type>;

    static constexpr std::size_t largest_small_bytes = LargestSmall;

    using base::base;

    /// Returns: a block of `bytes` bytes at a multiple of `alignment`.
    /// Throws: the exceptions of the mechanism.
    [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment = fundamental_alignment) {
        return is_small(bytes) ? this->first_.allocate(bytes, alignment)
                               : this->second_.allocate(bytes, alignment);
    }

    /// Returns: a block of `bytes` bytes; null if its mechanism has no memory.
    [[nodiscard]] void* try_allocate(std::size_t bytes,
                                     std::size_t alignment = fundamental_alignment) noexcept
        requires requires(typename base::first_type& a, typename base::second_type& b) {
            a.try_allocate(bytes, alignment);
            b.try_allocate(bytes, alignment);
        }
    {
        return is_small(bytes) ? this->first_.try_allocate(bytes, alignment)
                               : this->second_.try_allocate(bytes, alignment);
    }

    /// Requires: `p` came from allocate(bytes, alignment) and was not deallocated since.
    void deallocate(void* p, std::size_t bytes, std::size_t alignment = fundamental_alignment) noexcept {
        if (is_small(bytes)) {
            core::give_back(this->first_, p, bytes, alignment);
        } else {
            core::give_back(this->second_, p, bytes, alignment);
        }
    }

    /// Returns: `count` blocks of one mechanism.
    /// Throws: the exceptions of mallard::allocate_many().
    [[nodiscard]] block_chain allocate_many(std::size_t bytes, std::size_t alignment, std::size_t count) {
        return is_small(bytes) ? mallard::allocate_many(this->first_, bytes, alignment, count)
                               : mallard::allocate_many(this->second_, bytes, alignment, count);
    }

    /// Requires: each block came from this allocator, of this size and alignment.
    void deallocate_many(block_chain&& blocks, std::size_t bytes, std::size_t alignment) noexcept {
        if (is_small(bytes)) {
            mallard::deallocate_many(this->first_, std::move(blocks), bytes, alignment);
        } else {
            mallard::deallocate_many(this->second_, std::move(blocks), bytes, alignment);
        }
    }

private:
    [[nodiscard]] static constexpr bool is_small(std::size_t bytes) noexcept { return bytes <= LargestSmall; }
};

template <std::size_t LargestSmall, class Small, class Large>
inline constexpr bool thread_safe<segregate<LargestSmall, Small, Large>> =
    thread_safe<std::remove_reference_t<Small>> && thread_safe<std::remove_reference_t<Large>>;

}} // namespace mallard::MALLARD_MODE
