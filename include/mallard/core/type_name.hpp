/// The names of types at compile time, as the compiler writes them.
///
///     complete_type_name<A>()     mallard::ndebug_v100::multipool<mallard::library_v100::chunk_cache>
///     type_name<A>.view()         mallard::multipool<mallard::chunk_cache>
///
/// Compilers and their versions write some names in different ways (type_name_dialect).
#pragma once

#include <mallard/core/build_mode.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string_view>

namespace mallard::core { inline namespace MALLARD_MODE {

#define MALLARD_TEXT(name) #name
#define MALLARD_EXPANDED_TEXT(name) MALLARD_TEXT(name)

template <class T>
[[nodiscard]] consteval auto complete_type_name() noexcept {
#ifdef __GNUC__
    constexpr std::string_view signature =
        __PRETTY_FUNCTION__; // ... [with T = mallard::ndebug_v100::multipool<>]
    constexpr std::size_t begin = signature.find("T = ") + 4;
    return signature.substr(begin, signature.size() - begin - 1);
#else
    constexpr std::string_view signature =
        __FUNCSIG__; // ... complete_type_name<class std::pair<int,int>>(void) noexcept
    constexpr std::string_view function = "complete_type_name<";
    constexpr std::size_t begin = signature.find(function) + function.size();
    std::string_view name = signature.substr(begin, signature.rfind(">(") - begin);
    for (const std::string_view kind : {"class ", "struct ", "union ", "enum "}) {
        name.remove_prefix(name.starts_with(kind) ? kind.size() : 0);
    }
    return name;
#endif
}

template <std::size_t Bytes>
struct type_name_text {
    std::array<char, Bytes> characters{};
    std::size_t size = 0;

    [[nodiscard]] constexpr std::string_view view() const noexcept { return {characters.data(), size}; }
};

/// Returns: the name without the inline namespaces that tell the mode (core/build_mode.hpp).
template <std::size_t Bytes>
[[nodiscard]] consteval type_name_text<Bytes> shorten_type_name(std::string_view complete) noexcept {
    constexpr std::string_view modes[] = {MALLARD_EXPANDED_TEXT(MALLARD_MODE) "::",
                                          MALLARD_EXPANDED_TEXT(MALLARD_LIBRARY) "::"};
    type_name_text<Bytes> result;
    while (!complete.empty()) {
        std::size_t skipped = 0;
        for (const std::string_view mode : modes) {
            skipped = complete.starts_with(mode) ? mode.size() : skipped;
        }
        if (skipped == 0) {
            result.characters[result.size++] = complete.front();
            skipped = 1;
        }
        complete.remove_prefix(skipped);
    }
    return result;
}

/// The name of a T, the same in each mode.
template <class T>
inline constexpr auto type_name = shorten_type_name<complete_type_name<T>().size()>(complete_type_name<T>());

#undef MALLARD_EXPANDED_TEXT
#undef MALLARD_TEXT

/// The FNV-1a hash of type_name<T>.
template <class T>
inline constexpr std::uint64_t type_name_hash = [] {
    std::uint64_t hash = 0xcbf2'9ce4'8422'2325;
    for (const char character : type_name<T>.view()) {
        hash = (hash ^ static_cast<unsigned char>(character)) * 0x0000'0100'0000'01b3;
    }
    return hash;
}();

/// A number for compilers that write all names alike: the compiler, and its major version.
#if defined(__clang__)
inline constexpr std::uint64_t type_name_dialect = 0x1'0000 + __clang_major__;
#elif defined(__GNUC__)
inline constexpr std::uint64_t type_name_dialect = 0x2'0000 + __GNUC__;
#else
inline constexpr std::uint64_t type_name_dialect = 0x3'0000 + _MSC_VER;
#endif

/// Returns: the name of a T's template in namespace std, or of T itself, as "vector", without inline namespaces; no character
/// if T is no type of the standard library.
template <class T>
[[nodiscard]] consteval std::string_view standard_name() noexcept {
    std::string_view name = complete_type_name<T>();
    constexpr std::string_view prefix = "std::";
    if (!name.starts_with(prefix)) {
        return {};
    }
    name = name.substr(prefix.size(), name.find('<') - prefix.size());
    while (name.starts_with("__") && name.find("::") != std::string_view::npos) { // __cxx11, __debug, __1
        name.remove_prefix(name.find("::") + 2);
    }
    return name;
}

}} // namespace mallard::core::MALLARD_MODE
