/// Texts in memory of an allocator: copies, and texts that are put together.
///
///     std::string_view name = mallard::copy_string(arena, parsed.name);       // outlives `parsed`
///
///     mallard::string_builder path(arena);
///     path.append(directory).append('/').append(42);
///     const char* file = path.finish().data();
///
/// Each text is followed by a zero character, so that data() of it is a C string.
#pragma once

#include <mallard/core/build_mode.hpp>
#include <mallard/core/concepts.hpp>
#include <mallard/typed/array.hpp>
#include <mallard/typed/array_builder.hpp>

#include <array>
#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>

namespace mallard { inline namespace MALLARD_MODE {

/// Returns: a copy of `text` in memory of `from`, followed by a zero character. It ends by deallocate_string(), or
/// with the memory.
/// Throws: the exceptions of the allocation.
template <upstream A>
[[nodiscard]] std::string_view copy_string(A& from, std::string_view text) {
    char* const copy = allocate_array<char>(from, text.size() + 1).data();
    text.copy(copy, text.size());
    copy[text.size()] = 0;
    return {copy, text.size()};
}

/// Effects: gives the memory of `text` back to `from`.
/// Requires: `text` came from copy_string(from), or from finish() of a string_builder over `from`.
template <upstream A>
void deallocate_string(A& from, std::string_view text) noexcept {
    deallocate_array(from, std::span(const_cast<char*>(text.data()), text.size() + 1));
}

/// A text that grows in memory of an allocator, in place if that is possible (typed/array_builder.hpp).
template <upstream A>
class string_builder {
public:
    /// Effects: makes a builder that asks for nothing until its first character.
    /// Requires: `from` outlives the builder.
    explicit string_builder(A& from) noexcept : characters_(from) {}

    [[nodiscard]] std::size_t size() const noexcept { return characters_.size(); }
    [[nodiscard]] bool empty() const noexcept { return characters_.empty(); }

    /// Returns: the text so far. It is valid until the builder changes or ends.
    [[nodiscard]] std::string_view view() const noexcept { return {characters_.begin(), size()}; }

    /// Effects: appends the text. It may be a part of this one.
    /// Throws: the exceptions of the allocation; the text is as before then. So do the functions below.
    string_builder& append(std::string_view text) {
        characters_.append(std::span<const char>(text.data(), text.size()));
        return *this;
    }

    template <std::same_as<char> Character>
    string_builder& append(Character c) {
        characters_.push_back(c);
        return *this;
    }

    /// Effects: appends the shortest decimal text that reads as the same number.
    template <class Number>
        requires(std::integral<Number> || std::floating_point<Number>) &&
                (!std::same_as<Number, bool> && !std::same_as<Number, char>) &&
                requires(char* p, Number number) { std::to_chars(p, p, number); }
    string_builder& append(Number number) {
        std::array<char, 64> digits;
        const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), number);
        return append(std::string_view(digits.data(), static_cast<std::size_t>(end - digits.data())));
    }

    /// Effects: makes room for `count` characters in all.
    void reserve(std::size_t count) { characters_.reserve(count); }

    /// Effects: forgets the text, and keeps the room.
    void clear() noexcept { characters_.clear(); }

    /// Effects: gives the spare room back, and hands the text over, followed by a zero character. The builder is
    /// empty then, and may be used again.
    /// Returns: the text. It ends by deallocate_string(), or with the memory.
    [[nodiscard]] std::string_view finish() {
        terminator zero(characters_);
        const std::span<char> all = characters_.finish();
        zero.kept = true;
        return {all.data(), all.size() - 1};
    }

private:
    /// The zero character behind the text. It goes again unless it is kept.
    struct terminator {
        array_builder<char, A>& characters;
        bool kept = false;

        explicit terminator(array_builder<char, A>& of) : characters(of) { of.push_back('\0'); }
        terminator(const terminator&) = delete;
        terminator& operator=(const terminator&) = delete;
        ~terminator() {
            if (!kept) {
                characters.pop_back();
            }
        }
    };

    array_builder<char, A> characters_;
};

}} // namespace mallard::MALLARD_MODE
