/// Random operations on vectors, deques, lists and strings.
#pragma once

#include "containers/walk.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <utility>

namespace containers {

/// Longer sequences are truncated to keep walks fast.
inline constexpr std::size_t long_enough = 60;

template <class C>
void apply_to_list(const step& s, C& to, C& from) {
    switch (s.where % 5) {
    case 0:
        to.sort();
        to.unique();
        break;
    case 1:
        if (s.shares_allocator() && s.to != s.from) {
            to.sort();
            from.sort();
            to.merge(from);
        }
        break;
    case 2:
        if (s.shares_allocator() && s.to != s.from) {
            to.splice(std::next(to.begin(), s.below(to.size() + 1)), from, from.begin(),
                      std::next(from.begin(), static_cast<std::ptrdiff_t>(from.size() / 2)));
        }
        break;
    case 3:
        to.reverse();
        break;
    default:
        to.remove_if([&](const auto& e) { return to_text(e) == s.text(); });
    }
}

template <class C>
void apply_to_sequence(const step& s, four<C>& all) {
    using element_type = typename C::value_type;
    if (apply_to_any(s, all)) {
        return;
    }
    C& to = all[s.to];
    C& from = all[s.from];
    const auto at = std::next(to.begin(), s.below(to.size() + 1));
    const auto last = std::next(at, static_cast<std::ptrdiff_t>(std::min<std::size_t>(
                                        3, static_cast<std::size_t>(std::distance(at, to.end())))));
    const auto value = element<element_type>(s.text(), from.get_allocator());
    switch (s.operation % 16) {
    case 6:
        to.push_back(value);
        break;
    case 7:
        to.push_back(element<element_type>(s.text(), from.get_allocator()));
        break;
    case 8:
        to.insert(at, value);
        break;
    case 9:
        to.insert(at, 3, value);
        break;
    case 10:
        if (s.to != s.from) {
            to.insert(at, from.begin(), from.end());
        }
        break;
    case 11:
        to.erase(at, last);
        break;
    case 12:
        to.resize(s.where % 30, value);
        break;
    case 13:
        if (s.to != s.from) {
            to.assign(std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
            from.clear();
        } else {
            to.assign(5, value);
        }
        break;
    case 14:
        if (!to.empty()) {
            to.push_back(to.front()); // the argument aliases an element
        }
        if constexpr (requires { to.push_front(value); }) {
            to.push_front(value);
        }
        break;
    default:
        if constexpr (requires { to.sort(); }) {
            apply_to_list(s, to, from);
        } else if constexpr (requires { to.reserve(1); }) {
            to.reserve(s.where % 100);
        }
        if constexpr (requires { to.shrink_to_fit(); }) {
            to.shrink_to_fit();
        }
    }
    if (to.size() > long_enough) {
        to.erase(std::next(to.begin(), long_enough / 2), to.end());
    }
}

template <class C>
void apply_to_forward_list(const step& s, four<C>& all) {
    if (apply_to_any(s, all)) {
        return;
    }
    C& to = all[s.to];
    C& from = all[s.from];
    const auto size = static_cast<std::size_t>(std::distance(to.begin(), to.end()));
    const auto position = std::next(to.before_begin(), s.below(size + 1));
    const auto value = element<typename C::value_type>(s.text(), from.get_allocator());
    switch (s.operation % 16) {
    case 6:
    case 7:
        to.push_front(value);
        break;
    case 8:
        to.insert_after(position, 3, value);
        break;
    case 9:
        to.emplace_after(position, element<typename C::value_type>(s.text(), from.get_allocator()));
        break;
    case 10:
        if (s.to != s.from) {
            to.insert_after(position, from.begin(), from.end());
        }
        break;
    case 11:
        to.erase_after(position, to.end());
        break;
    case 12:
        to.resize(s.where % 30, value);
        break;
    case 13:
        to.sort();
        to.unique();
        break;
    case 14:
        if (s.shares_allocator() && s.to != s.from) {
            to.splice_after(position, from);
        }
        break;
    default:
        if (s.shares_allocator() && s.to != s.from) {
            to.sort();
            from.sort();
            to.merge(from);
        }
        to.reverse();
    }
    if (size > long_enough) {
        to.erase_after(std::next(to.begin(), long_enough / 2), to.end());
    }
}

} // namespace containers
