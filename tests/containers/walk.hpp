/// Random operations on four containers under test and on four twins with std::allocator.
///
///     [ 0 ] [ 2 ]   on one allocator
///     [ 1 ] [ 3 ]   on another of the same type: elements cross, memory must not
///
/// An operation depends only on the container type and on random numbers drawn beforehand, so that both sides do the
/// same. Operations that are undefined for unequal allocators (swap, splice, merge, insertion of a node handle) require
/// containers with the same allocator, which their indices determine.
#pragma once

#include "containers/places.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace containers {

/// An operation, its containers and its numbers.
struct step {
    std::uint64_t operation;
    std::size_t to;
    std::size_t from;
    std::uint64_t where;
    std::uint64_t content;

    [[nodiscard]] bool shares_allocator() const { return to % 2 == from % 2; }

    /// Returns: a number below `bound`.
    /// Requires: `bound` is not 0.
    [[nodiscard]] std::ptrdiff_t below(std::size_t bound) const {
        return static_cast<std::ptrdiff_t>(where % bound);
    }

    /// Returns: one of a hundred texts, a third of which fit into a string object.
    [[nodiscard]] std::string text(std::uint64_t salt = 0) const {
        const std::uint64_t number = (content + salt) % 100;
        return std::string(number % 3 * 25, 'a') + std::to_string(number);
    }
};

template <class E>
concept has_allocator = requires(const E& e) { e.get_allocator(); };

/// Returns: an element with the text, constructed with `a` if it takes an allocator.
template <class E, class Alloc>
E element(const std::string& text, const Alloc& a) {
    if constexpr (has_allocator<E>) {
        return E(text.begin(), text.end(), a);
    } else {
        return static_cast<E>(text.back());
    }
}

template <class E>
std::string to_text(const E& e) {
    if constexpr (requires { e.second; }) {
        return to_text(e.first) + "=" + to_text(e.second);
    } else if constexpr (has_allocator<E>) {
        return std::string(e.begin(), e.end());
    } else {
        return std::string(1, e);
    }
}

/// Returns: the elements, sorted if the container has no order.
template <class C>
std::vector<std::string> contents(const C& c) {
    std::vector<std::string> all;
    for (const auto& e : c) {
        all.push_back(to_text(e));
    }
    if constexpr (requires { c.bucket_count(); }) {
        std::ranges::sort(all);
    }
    return all;
}

/// Returns: true if an element has the allocator of its container.
template <class E, class Alloc>
bool at_home(const E& e, const Alloc& a) {
    if constexpr (requires { e.second; }) {
        return at_home(e.first, a) && at_home(e.second, a);
    } else if constexpr (has_allocator<E>) {
        return e.get_allocator() == a;
    } else {
        return true;
    }
}

template <class C>
using four = std::array<C, 4>;

/// Applies operations that containers of every kind have.
/// Returns: true if `s` is one of them.
template <class C>
bool apply_to_any(const step& s, four<C>& all) {
    C& to = all[s.to];
    C& from = all[s.from];
    switch (s.operation % 16) {
    case 0: {
        const C& source = from;
        to = source; // possibly self-assignment
        return true;
    }
    case 1:
        if (s.to != s.from) {
            to = std::move(from);
            from.clear();
        }
        return true;
    case 2:
        if (s.shares_allocator()) {
            to.swap(from);
        }
        return true;
    case 3: {
        C copied(from, to.get_allocator());
        to.swap(copied);
        return true;
    }
    case 4: {
        C moved(std::move(from), to.get_allocator());
        from.clear();
        to.swap(moved);
        return true;
    }
    case 5:
        if (s.where % 4 == 0) {
            to.clear();
        }
        return true;
    default:
        return false;
    }
}

/// Effects: applies `steps` random steps to containers C on `kind` and to containers Twin, and compares them.
template <class C, class Twin, class Apply>
void walk(const place& kind, std::uint64_t seed, std::size_t steps, const Apply& apply) {
    SCOPED_TRACE(kind.name + ", seed " + std::to_string(seed));
    equipment::ledger source;
    {
        const auto first = kind.make(source);
        const auto second = kind.make(source);
        const auto on = [](std::pmr::memory_resource& r) {
            if constexpr (std::is_constructible_v<typename C::allocator_type, std::pmr::memory_resource&>) {
                return C(typename C::allocator_type(r));
            } else {
                return C(typename C::allocator_type(&r));
            }
        };
        four<C> tested{on(*first), on(*second), on(*first), on(*second)};
        const four<typename C::allocator_type> homes{tested[0].get_allocator(), tested[1].get_allocator(),
                                                     tested[2].get_allocator(), tested[3].get_allocator()};
        four<Twin> twins;
        std::mt19937_64 random(seed);
        for (std::size_t i = 0; i < steps; ++i) {
            const step s{random(), random() % 4, random() % 4, random(), random()};
            apply(s, tested);
            apply(s, twins);
            for (std::size_t k = 0; k < 4; ++k) {
                ASSERT_EQ(contents(tested[k]), contents(twins[k])) << "step " << i << ", container " << k;
                ASSERT_TRUE(tested[k].get_allocator() == homes[k]) << "step " << i << ", container " << k;
                for (const auto& e : tested[k]) {
                    ASSERT_TRUE(at_home(e, tested[k].get_allocator())) << "step " << i << ", container " << k;
                }
            }
        }
    }
    EXPECT_EQ(source.outstanding(), 0U);
    EXPECT_EQ(source.complaints(), equipment::no_complaints);
}

/// Effects: walks on every place. `Container` maps a binding to a container type. Both bindings call the same resources,
/// so a build that is not thorough walks few containers by the base.
template <template <class> class Container, bool ByBase = MALLARD_THOROUGH, class Apply>
void walk_everywhere(const Apply& apply) {
    std::uint64_t seed = 1;
    for (const place& kind : places()) {
        if constexpr (ByBase) {
            walk<Container<by_base>, Container<by_standard>>(kind, seed++, 150, apply);
        }
        walk<Container<by_type>, Container<by_standard>>(kind, seed++, 150, apply);
    }
}

} // namespace containers
