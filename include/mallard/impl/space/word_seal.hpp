/// A word that verifies that others are unchanged: the metadata in front of blocks may be damaged by callers, and
/// is trusted only if its seal is right.
#pragma once

#include <mallard/core/build_mode.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <initializer_list>

namespace mallard::space { inline namespace MALLARD_LIBRARY {

/// Returns: a word that differs if one of `words` does, and nearly always if several do.
[[nodiscard]] constexpr std::size_t seal_words(std::initializer_list<std::size_t> words) noexcept {
    // The masks are for words of 32 bits. The factor is odd: no two words give one product.
    constexpr std::size_t factor = 0x9e37'79b9'7f4a'7c15U & SIZE_MAX;
    std::size_t seal = 0x6d61'6c6c'6172'64ffU & SIZE_MAX;
    for (const std::size_t word : words) {
        seal = std::rotl((seal ^ word) * factor, 29);
    }
    return seal;
}

}} // namespace mallard::space::MALLARD_LIBRARY
