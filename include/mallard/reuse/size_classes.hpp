/// Size classes: the block sizes, and the class that serves a request. A pool takes them as a parameter:
///
///     eighth_classes         at most an eighth of a block is waste; the default
///     power_of_two_classes   at most half of it is; few sizes, so that more requests can reuse a block
///
/// A size_class_policy is a type with three constexpr functions:
///
///     index(bytes, alignment)   the class of the smallest block that holds `bytes`, at least one, at a multiple of
///                               `alignment`, which is 1, 2, 4, 8 or 16; impossible sizes have a class above all
///                               others, at most 2^15 - 1
///     bytes(index)              the block size of a class
///     within(bytes)             the class of the largest block that fits into `bytes`, which are at least 8
///
/// Block sizes are multiples of 8 and grow with their class; above 128 they are multiples of 16. Every size that
/// is a multiple of 16 can be carved at 16-byte addresses. Up to the class of 2^30 bytes, a block of class c
/// holds at least c + 1 pointers and has at most 2^31 bytes, and there are fewer than 2^9 classes
/// (reuse/free_lists.hpp needs all of it). A multipool of other classes does not compile.
#pragma once

#include <mallard/core/alignment.hpp>
#include <mallard/core/build_mode.hpp>

#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace mallard::reuse { inline namespace MALLARD_LIBRARY {

inline constexpr std::size_t most_size_classes = (std::size_t{1} << 9) - 1;
inline constexpr std::size_t most_class_index = (std::size_t{1} << 15) - 1; ///< of impossible sizes

}} // namespace mallard::reuse::MALLARD_LIBRARY

namespace mallard { inline namespace MALLARD_LIBRARY {

template <class C>
concept size_class_policy = requires(std::size_t n) {
    { C::index(n, n) } noexcept -> std::same_as<std::size_t>;
    { C::bytes(n) } noexcept -> std::same_as<std::size_t>;
    { C::within(n) } noexcept -> std::same_as<std::size_t>;
};

}} // namespace mallard::MALLARD_LIBRARY

namespace mallard::reuse { inline namespace MALLARD_LIBRARY {

/// True if a pool of these classes gives chunks back in which every block is free. All blocks have at least 16 bytes then.
template <class C>
inline constexpr bool gives_chunks_back = requires { requires C::gives_chunks_back; };

/// Returns: true if the classes of C up to that of 2^30 bytes have these properties on a machine whose fundamental alignment
/// is `Alignment`: 16, or 8 as on Apple's arm64.
template <size_class_policy C, std::size_t Alignment = fundamental_alignment>
[[nodiscard]] consteval bool has_sound_classes() {
    constexpr std::size_t most_bytes = std::size_t{1} << 30;
    const std::size_t count = C::index(most_bytes, 8) + 1;
    if (count > most_size_classes || C::index(0, 1) != 0) {
        return false;
    }
    for (const std::size_t alignment : {std::size_t{8}, Alignment}) {
        const std::size_t impossible = C::index(static_cast<std::size_t>(-1), alignment);
        if (impossible < count || impossible > most_class_index) {
            return false;
        }
    }
    for (std::size_t c = 0; c != count; ++c) {
        const std::size_t bytes = C::bytes(c);
        const std::size_t above = c + 1 == count ? bytes + 8 : C::bytes(c + 1);
        const bool is_in_step = bytes % (bytes > 128 ? 16 : 8) == 0 && bytes < above;
        const bool holds_table = bytes / sizeof(void*) > c && bytes <= 2 * most_bytes;
        const bool round_trips = C::index(bytes, 8) == c && C::index(bytes + 1, 8) > c &&
                                 C::within(bytes) == c && C::within(above - 1) == c;
        const std::size_t aligned = C::bytes(C::index(bytes, Alignment));
        if (!is_in_step || !holds_table || !round_trips || aligned < bytes || aligned % Alignment != 0) {
            return false;
        }
    }
    return true;
}

/// Returns: the last byte of a request, which decides its class: counting from it instead of the size, nothing
/// can wrap. At an alignment of 16 the eight bytes behind it are included.
[[nodiscard, gnu::always_inline]] constexpr std::size_t last_byte(std::size_t bytes,
                                                                  std::size_t alignment) noexcept {
    return (bytes - static_cast<std::size_t>(bytes != 0)) | (alignment & 16) / 2;
}

/// Returns: the class among eighth_classes of the request whose last byte this is. Its leading four bits name the class
/// within its doubling; up to 128 the step is 8, as it is from 64 on.
[[nodiscard]] constexpr std::size_t eighth_class(std::size_t last) noexcept {
    // This many zeros leave four bits to the class, which need no shift.
    constexpr unsigned leading_bit = std::numeric_limits<std::size_t>::digits - 4;
    const unsigned shift = leading_bit - static_cast<unsigned>(std::countl_zero(last | 64));
    return 8 * std::size_t{shift} + (last >> shift) - 24;
}

inline constexpr std::size_t looked_up_bytes = 1024;
inline constexpr auto looked_up_eighths = [] {
    std::array<std::uint8_t, looked_up_bytes / 8> classes{};
    for (std::size_t i = 0; i != classes.size(); ++i) {
        classes[i] = static_cast<std::uint8_t>(eighth_class(8 * i));
    }
    return classes;
}();

}} // namespace mallard::reuse::MALLARD_LIBRARY

namespace mallard { inline namespace MALLARD_LIBRARY {

///     request      1..8  9..16 ... 121..128 | 129..144 145..160 ... 241..256 | 257..288 ...
///     class        0     1     ... 15       | 16       17       ... 23       | 24       ...
///     block size   8     16    ... 128      | 144      160      ... 256      | 288      ...
///
/// 8 bytes apart up to 128, then eight sizes to a doubling, so that at most an eighth of a block is waste.
struct eighth_classes {
    /// Complexity: constant. Sizes on both sides of 128 that come in no order would be predicted wrongly, so small ones
    /// are looked up.
    [[nodiscard, gnu::always_inline]] static constexpr std::size_t index(std::size_t bytes,
                                                                         std::size_t alignment = 8) noexcept {
        const std::size_t last = reuse::last_byte(bytes, alignment);
        return last < reuse::looked_up_bytes ? reuse::looked_up_eighths[last / 8] : reuse::eighth_class(last);
    }

    [[nodiscard, gnu::always_inline]] static constexpr std::size_t bytes(std::size_t index) noexcept {
        if (index < 16) {
            return (index + 1) * 8;
        }
        const std::size_t step = index - 16;
        return (9 + step % 8) << (4 + step / 8);
    }

    [[nodiscard]] static constexpr std::size_t within(std::size_t bytes) noexcept {
        return index(bytes + 1) - 1;
    }
};

/// eighth_classes from 16 bytes on, for a multipool that gives empty chunks back.
struct shrinking_classes {
    static constexpr bool gives_chunks_back = true;

    [[nodiscard, gnu::always_inline]] static constexpr std::size_t index(std::size_t bytes,
                                                                         std::size_t alignment = 8) noexcept {
        const std::size_t index = eighth_classes::index(bytes, alignment);
        return index - static_cast<std::size_t>(index != 0);
    }

    [[nodiscard, gnu::always_inline]] static constexpr std::size_t bytes(std::size_t index) noexcept {
        return eighth_classes::bytes(index + 1);
    }

    /// Requires: `bytes` is at least 16.
    [[nodiscard]] static constexpr std::size_t within(std::size_t bytes) noexcept {
        return eighth_classes::within(bytes) - 1;
    }
};

///     request      1..8  9..16  17..32  33..64 ...
///     class        0     1      2       3      ...
///     block size   8     16     32      64     ...
///
/// Source: Optimized C++ (2016), chapter 13, "fast fit".
struct power_of_two_classes {
    [[nodiscard]] static constexpr std::size_t index(std::size_t bytes, std::size_t alignment = 8) noexcept {
        return core::bit_width(reuse::last_byte(bytes, alignment) / 8);
    }

    [[nodiscard]] static constexpr std::size_t bytes(std::size_t index) noexcept {
        return std::size_t{8} << index;
    }

    [[nodiscard]] static constexpr std::size_t within(std::size_t bytes) noexcept {
        return core::bit_width(bytes / 8) - 1;
    }
};

static_assert(eighth_classes::index(0) == 0 && eighth_classes::index(8) == 0);
static_assert(eighth_classes::index(8, 16) == 1 && eighth_classes::index(24, 16) == 3);
static_assert(eighth_classes::index(9) == 1 && eighth_classes::index(128) == 15);
static_assert(eighth_classes::index(129) == 16 && eighth_classes::bytes(16) == 144);
static_assert(eighth_classes::index(32'768) == 79 && eighth_classes::bytes(79) == 32'768);
static_assert(eighth_classes::within(143) == 15 && eighth_classes::within(144) == 16);
static_assert(power_of_two_classes::index(32'768) == 12 && power_of_two_classes::bytes(12) == 32'768);

}} // namespace mallard::MALLARD_LIBRARY

namespace mallard::reuse { inline namespace MALLARD_LIBRARY {

/// The result of has_sound_classes(), computed once for C. Those of the library are tested, so that no program that includes
/// them spends a tenth of a second on it.
template <size_class_policy C>
inline constexpr bool are_sound = has_sound_classes<C>();
template <>
inline constexpr bool are_sound<eighth_classes> = true;
template <>
inline constexpr bool are_sound<shrinking_classes> = true;
template <>
inline constexpr bool are_sound<power_of_two_classes> = true;

}} // namespace mallard::reuse::MALLARD_LIBRARY
