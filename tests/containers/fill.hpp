/// Fills an object of any type with content that allocates: strings too long for their own objects, and containers
/// of a few different elements.
///
/// Elements enter a container in every way: emplaced, copied, and moved from objects that a maker constructs elsewhere.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

namespace containers {

template <class T>
concept string_like = requires { typename T::traits_type; } && requires(T& t) { t.append(1, 'a'); };
template <class T>
concept set_like = requires { typename T::key_type; };
template <class T>
concept map_like = set_like<T> && requires { typename T::mapped_type; };
template <class T>
concept adapter_like = requires { typename T::container_type; };
template <class T>
concept with_text = requires(T& t) { t.text; };
template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;
template <class T>
concept tuple_like = requires { std::tuple_size<T>::value; };

/// `make_elsewhere.template operator()<U>()` returns an empty U that does not take from the object's place.
template <class T, class Maker>
void fill(T& t, const Maker& make_elsewhere);

template <class U, class Maker>
U filled(const Maker& make_elsewhere) {
    U object = make_elsewhere.template operator()<U>();
    fill(object, make_elsewhere);
    return object;
}

inline int next_number() {
    static int last = 0;
    return ++last;
}

template <class Map, class Maker>
void fill_map(Map& map, const Maker& make) {
    using key = typename Map::key_type;
    using value = typename Map::mapped_type;
    const auto copied = filled<key>(make);
    map.emplace(copied, filled<value>(make));
    const std::pair<const key, value> entry(filled<key>(make), filled<value>(make));
    map.insert(entry);
    map.insert(std::pair<const key, value>(filled<key>(make), filled<value>(make)));
    if constexpr (requires { map.try_emplace(copied); }) {
        fill(map.try_emplace(filled<key>(make)).first->second, make);
        fill(map[filled<key>(make)], make);
    }
}

template <class Set, class Maker>
void fill_set(Set& set, const Maker& make) {
    using key = typename Set::key_type;
    const auto copied = filled<key>(make);
    set.insert(copied);
    set.insert(filled<key>(make));
    set.emplace(filled<key>(make));
}

template <class Sequence, class Maker>
void fill_sequence(Sequence& sequence, const Maker& make) {
    using element = typename Sequence::value_type;
    const auto copied = filled<element>(make);
    if constexpr (std::same_as<element, bool>) {
        sequence.resize(1000);
    } else if constexpr (requires { sequence.emplace_back(); }) {
        sequence.push_back(copied);
        sequence.push_back(filled<element>(make));
        fill(sequence.emplace_back(), make);
        sequence.resize(sequence.size() + 2);
        fill(sequence.back(), make);
    } else {
        sequence.push_front(copied);
        sequence.push_front(filled<element>(make));
        fill(sequence.emplace_front(), make);
    }
}

template <class T, class Maker>
void fill(T& t, const Maker& make) {
    if constexpr (std::is_const_v<T> || std::is_reference_v<T>) {
        return; // set by the constructor
    } else if constexpr (std::is_arithmetic_v<T>) {
        t = static_cast<T>(next_number());
    } else if constexpr (std::is_array_v<T>) {
        for (auto& element : t) {
            fill(element, make);
        }
    } else if constexpr (string_like<T>) {
        t.assign(100, typename T::value_type('a'));
        t.append(static_cast<std::size_t>(next_number() % 1000), typename T::value_type('b'));
    } else if constexpr (map_like<T>) {
        fill_map(t, make);
    } else if constexpr (set_like<T>) {
        fill_set(t, make);
    } else if constexpr (adapter_like<T>) {
        const auto copied = filled<typename T::value_type>(make);
        t.push(copied);
        t.push(filled<typename T::value_type>(make));
    } else if constexpr (requires {
                             t.get_allocator();
                             t.clear();
                         }) {
        fill_sequence(t, make);
    } else if constexpr (is_optional<T>) {
        t.emplace(make.template operator()<typename T::value_type>());
        fill(*t, make);
    } else if constexpr (requires { std::variant_size<T>::value; }) {
        constexpr std::size_t last = std::variant_size_v<T> - 1;
        t.template emplace<last>(make.template operator()<std::variant_alternative_t<last, T>>());
        fill(std::get<last>(t), make);
    } else if constexpr (tuple_like<T>) {
        std::apply([&](auto&... parts) { (fill(parts, make), ...); }, t);
    } else if constexpr (with_text<T>) {
        fill(t.text, make);
    } else if constexpr (requires { t.fill(); }) {
        t.fill();
    }
}

} // namespace containers
