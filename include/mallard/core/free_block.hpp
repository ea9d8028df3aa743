/// A free block, and its link to another.
///
///     [ next | ................ ]
///
/// The link is the first word of the block. It may be unaligned, because a block of 12 or 20 bytes lies at a
/// multiple of 4. Most processors read it as fast; for the others a compiler reads it byte by byte. So code that knows
/// its blocks to be aligned says so by links<true>.
#pragma once

#include <mallard/core/build_mode.hpp>
#include <mallard/core/sanitizer.hpp>

#include <cstddef>

namespace mallard::core { inline namespace MALLARD_LIBRARY {

#pragma pack(push, 1)
struct free_block {
    free_block* next;
};
#pragma pack(pop)

static_assert(sizeof(free_block) == sizeof(void*) && alignof(free_block) == 1);

/// A link anywhere in memory. It is accessed as a pointer and not as a member, because the compiler may assume
/// that a member of free_block and a link in another class are different objects.
using link_in_place [[gnu::aligned(1)]] = free_block*;

/// Returns: the place of the link of `block`.
[[nodiscard, gnu::always_inline]] inline link_in_place* as_link(free_block* block) noexcept {
    return reinterpret_cast<link_in_place*>(block);
}

/// Returns: `p`, which the compiler need not compare with null again.
/// Requires: `p` is not null.
template <class T>
[[nodiscard, gnu::always_inline]] inline T* known(T* p) noexcept {
    if (p == nullptr) {
        MALLARD_UNREACHABLE();
    }
    return p;
}

/// Access to pointers to free blocks, in blocks or elsewhere, which may lie in poisoned memory. `Aligned` is true if all lie
/// at multiples of a pointer's alignment.
template <bool Aligned>
struct links {
    /// Returns: the pointer at `from`.
    template <class Place>
    MALLARD_READS_POISONED [[nodiscard]] static free_block* read(const Place* from) noexcept {
        const poisoned_access access;
        const auto* const place = static_cast<const void*>(from);
        if constexpr (Aligned) {
            return *static_cast<free_block* const*>(place);
        } else {
            return *static_cast<const link_in_place*>(place);
        }
    }

    /// Effects: makes the pointer at `to` lead to `block`.
    template <class Place>
    MALLARD_READS_POISONED static void write(Place* to, free_block* block) noexcept {
        const poisoned_access access;
        auto* const place = static_cast<void*>(to);
        if constexpr (Aligned) {
            *static_cast<free_block**>(place) = block;
        } else {
            *static_cast<link_in_place*>(place) = block;
        }
    }
};

}} // namespace mallard::core::MALLARD_LIBRARY
