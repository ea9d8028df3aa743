/// Random operations on sets and maps, ordered and hashed, with unique keys and with equal ones.
#pragma once

#include "containers/walk.hpp"

#include <functional>
#include <string_view>
#include <utility>

namespace containers {

struct hash_of_text {
    template <class T>
    std::size_t operator()(const T& text) const {
        return std::hash<std::string_view>()(std::string_view(text.data(), text.size()));
    }
};

template <class C>
concept map_of_keys = requires { typename C::mapped_type; };

/// Returns: an entry with the key and value of `s`, allocated from `a`.
template <class C, class Alloc>
typename C::value_type entry(const step& s, const Alloc& a) {
    using key = typename C::key_type;
    if constexpr (map_of_keys<C>) {
        return {element<key>(s.text(), a), element<typename C::mapped_type>(s.text(s.where), a)};
    } else {
        return element<key>(s.text(), a);
    }
}

/// Effects: moves a node to another container, or renames it and puts it back.
template <class C>
void pass_node_on(const step& s, C& to, C& from) {
    using key = typename C::key_type;
    auto node = from.extract(element<key>(s.text(), from.get_allocator()));
    if (node.empty()) {
        return;
    }
    const key name = element<key>(s.text(s.where), to.get_allocator());
    if constexpr (map_of_keys<C>) {
        node.key() = name;
    } else {
        node.value() = name;
    }
    auto passed = std::move(node);
    (s.shares_allocator() ? to : from).insert(std::move(passed));
}

template <class C>
void apply_to_keyed(const step& s, four<C>& all) {
    using key = typename C::key_type;
    if (apply_to_any(s, all)) {
        return;
    }
    C& to = all[s.to];
    C& from = all[s.from];
    const key name = element<key>(s.text(), from.get_allocator());
    switch (s.operation % 16) {
    case 6: {
        const auto value = entry<C>(s, from.get_allocator());
        to.insert(value);
        break;
    }
    case 7:
        to.insert(entry<C>(s, from.get_allocator()));
        break;
    case 8:
        to.emplace(entry<C>(s, from.get_allocator()));
        break;
    case 9:
        to.emplace_hint(to.find(name), entry<C>(s, from.get_allocator()));
        break;
    case 10:
        if (s.to != s.from) {
            // Const iterators, because libc++ emplaces a non-const pair without the allocator.
            to.insert(from.cbegin(), from.cend());
        }
        break;
    case 11:
        to.erase(name);
        break;
    case 12:
    case 13:
        pass_node_on(s, to, from);
        break;
    case 14:
        if (s.shares_allocator() && s.to != s.from) {
            to.merge(from);
        }
        break;
    default:
        if constexpr (requires { to.try_emplace(name); }) {
            to[name] = element<typename C::mapped_type>(s.text(1), from.get_allocator());
            to.try_emplace(element<key>(s.text(2), from.get_allocator()));
        }
        if constexpr (requires { to.rehash(1); }) {
            to.rehash(s.where % 200);
        }
    }
    EXPECT_EQ(to.count(name) != 0, to.find(name) != to.end());
    if (to.size() > 150) {
        to.clear();
    }
}

} // namespace containers
