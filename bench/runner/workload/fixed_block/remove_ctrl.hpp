/// Removes the control characters of a string: the function as the book prints it, and the book's better
/// versions. They differ in their allocations, not in their results.
///
/// Data model: each version is a type with a name and a static call(). It gets the input in every form that a version
/// may need, and leaves the result in the caller's string. Parameters that the book passes by value are copied within
/// the call. All strings except the input come from one allocator.
///
/// Source: Optimized C++, chapter 13 (as_printed, example 13-12) and chapter 4 (the others).
#pragma once

#include <cstddef>
#include <string>
#include <tuple>
#include <utility>

namespace bench {

/// The first character that is not a control character.
inline constexpr char first_printable = 0x20;

template <class String>
struct remove_ctrl_input {
    using allocator_type = typename String::allocator_type;

    std::string text;
    String own; ///< the text again, from the measured allocator
    allocator_type allocator;
};

/// The function as printed, except that the result gets the allocator.
template <class String>
String remove_ctrl(std::string s, // NOLINT(performance-unnecessary-value-param): as printed
                   const typename String::allocator_type& allocator) {
    String result(allocator);
    for (std::size_t i = 0; i < s.length(); ++i) { // NOLINT(modernize-loop-convert): as printed
        if (s[i] >= first_printable) {
            result = result + s[i]; // NOLINT(performance-inefficient-string-concatenation): as printed
        }
    }
    return result;
}

struct as_printed {
    static constexpr const char* name = "as-printed";

    template <class String>
    static void call(const remove_ctrl_input<String>& input, String& result) {
        result = remove_ctrl<String>(input.text, input.allocator);
    }
};

/// No temporary string for each character: the result grows in place.
struct by_append {
    static constexpr const char* name = "append";

    template <class String>
    static void call(const remove_ctrl_input<String>& input, String& result) {
        // NOLINTNEXTLINE(performance-unnecessary-copy-initialization): the book passes it by value
        const std::string s = input.text;
        String grown(input.allocator);
        for (const char c : s) {
            if (c >= first_printable) {
                grown += c;
            }
        }
        result = std::move(grown);
    }
};

/// The result does not grow: it reserves the largest size.
struct by_reserve {
    static constexpr const char* name = "reserve";

    template <class String>
    static void call(const remove_ctrl_input<String>& input, String& result) {
        // NOLINTNEXTLINE(performance-unnecessary-copy-initialization): the book passes it by value
        const std::string s = input.text;
        String grown(input.allocator);
        grown.reserve(s.length());
        for (const char c : s) {
            if (c >= first_printable) {
                grown += c;
            }
        }
        result = std::move(grown);
    }
};

/// The input is not copied.
struct by_reference {
    static constexpr const char* name = "reference";

    template <class String>
    static void call(const remove_ctrl_input<String>& input, String& result) {
        const std::string& s = input.text;
        String grown(input.allocator);
        grown.reserve(s.length());
        // NOLINTNEXTLINE(modernize-loop-convert): by_iterators has them
        for (std::size_t i = 0; i < s.length(); ++i) {
            if (s[i] >= first_printable) {
                grown += s[i];
            }
        }
        result = std::move(grown);
    }
};

/// Iterators replace indices, so that length and data are not read again for each character.
struct by_iterators {
    static constexpr const char* name = "iterators";

    template <class String>
    static void call(const remove_ctrl_input<String>& input, String& result) {
        String grown(input.allocator);
        grown.reserve(input.text.length());
        for (const char c : input.text) {
            if (c >= first_printable) {
                grown += c;
            }
        }
        result = std::move(grown);
    }
};

/// The result appends whole runs of characters.
struct by_blocks {
    static constexpr const char* name = "blocks";

    template <class String>
    static void call(const remove_ctrl_input<String>& input, String& result) {
        const std::string& s = input.text;
        String grown(input.allocator);
        grown.reserve(s.length());
        for (std::size_t begin = 0; begin < s.length();) {
            std::size_t end = begin;
            while (end != s.length() && s[end] >= first_printable) {
                ++end;
            }
            grown.append(s.data() + begin, end - begin);
            begin = end + 1;
        }
        result = std::move(grown);
    }
};

/// A copy of the input shrinks in place.
struct by_erase {
    static constexpr const char* name = "erase";

    template <class String>
    static void call(const remove_ctrl_input<String>& input, String& result) {
        String s(input.own);
        for (std::size_t i = 0; i < s.length();) {
            if (s[i] < first_printable) {
                s.erase(i, 1);
            } else {
                ++i;
            }
        }
        result = std::move(s);
    }
};

/// The result goes into the caller's string. Once that is long enough, nothing is allocated.
struct into_result {
    static constexpr const char* name = "result";

    template <class String>
    static void call(const remove_ctrl_input<String>& input, String& result) {
        result.clear();
        result.reserve(input.text.length());
        for (const char c : input.text) {
            if (c >= first_printable) {
                result += c;
            }
        }
    }
};

/// All versions, the printed one first.
using remove_ctrl_versions_list = std::tuple<as_printed, by_append, by_reserve, by_reference, by_iterators,
                                             by_blocks, by_erase, into_result>;

} // namespace bench
