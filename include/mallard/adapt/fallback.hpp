/// A second mechanism for the requests that the first refuses.
///
///     using pool = mallard::fixed_pool<mallard::static_arena<4096>>;
///     mallard::fallback<pool, mallard::multipool<>> memory(mallard::block_size(64), mallard::multipool_options{});
///
///     allocate(bytes)    ->  first(); if it refuses, second()
///     deallocate(p)      ->  first().owns(p) ?  first()  :  second()
///
/// Data model: the two mechanisms, and nothing else. The first one must know its blocks (owns) and fail without an
/// exception (try_allocate): a pool in an arena, a monotonic over a buffer, a region heap. So a request costs as much as
/// one to the first while that has room, and a deallocation one test of the address more.
/// Requires: neither mechanism takes its memory from the other, because the address determines the owner of a
/// block.
///
/// Source: fallback_allocator of foonathan/memory; failure_callback_resource_adaptor of RAPIDS (RMM); A. Alexandrescu,
/// "std::allocator is to allocation what std::vector is to vexation" (CppCon 2015).
#pragma once

#include <mallard/adapt/two_mechanisms.hpp>
#include <mallard/core/alignment.hpp>
#include <mallard/core/build_mode.hpp>
#include <mallard/core/cancellation.hpp>
#include <mallard/core/thread_safe.hpp>

#include <cstddef>
#include <type_traits>

namespace mallard { inline namespace MALLARD_MODE {

/// Thread-safe only if both mechanisms are.
template <class First, class Second>
    requires requires(std::remove_reference_t<First>& a, void* p, std::size_t n) {
        a.try_allocate(n, n);
        a.owns(p);
    }
class fallback : public adapt::two_mechanisms<First, Second> {
    using base = adapt::two_mechanisms<First, Second>;

public:
    using upstream_type = typename base::second_type; ///< it decides how a request fails

    using base::base;

    /// Returns: a block of `bytes` bytes at a multiple of `alignment`.
    /// Throws: the exceptions of the second mechanism. The out-of-memory handler hears of its failures only.
    [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment = fundamental_alignment) {
        void* const block = this->first_.try_allocate(bytes, alignment);
        return block != nullptr ? block : this->second_.allocate(bytes, alignment);
    }

    /// Returns: a block of `bytes` bytes; null if both mechanisms have no memory.
    [[nodiscard]] void* try_allocate(std::size_t bytes,
                                     std::size_t alignment = fundamental_alignment) noexcept
        requires requires(typename base::second_type& b) { b.try_allocate(bytes, alignment); }
    {
        void* const block = this->first_.try_allocate(bytes, alignment);
        return block != nullptr ? block : this->second_.try_allocate(bytes, alignment);
    }

    /// Requires: `p` came from allocate(bytes, alignment) and was not deallocated since.
    void deallocate(void* p, std::size_t bytes, std::size_t alignment = fundamental_alignment) noexcept {
        if (this->first_.owns(p)) {
            core::give_back(this->first_, p, bytes, alignment);
        } else {
            core::give_back(this->second_, p, bytes, alignment);
        }
    }
};

template <class First, class Second>
inline constexpr bool thread_safe<fallback<First, Second>> =
    thread_safe<std::remove_reference_t<First>> && thread_safe<std::remove_reference_t<Second>>;

}} // namespace mallard::MALLARD_MODE
