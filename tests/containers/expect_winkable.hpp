/// Checks mallard::winkable against reality: constructs an object of the type, fills it, and ends it by releasing its
/// arena only.
#pragma once

#include "containers/fill.hpp"
#include "containers/types_to_wink_out.hpp"

#include <mallard/lifetime/wink_out.hpp>

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <type_traits>
#include <vector>

template <class B>
inline constexpr bool mallard::winkable<containers::allocator_aware<B>> = true;
template <>
inline constexpr bool mallard::winkable<containers::stated> = true;

namespace containers {

template <class T>
std::string type_name() {
    return __PRETTY_FUNCTION__;
}

/// Constructs objects outside the arena. A single type, so that the code that fills an object is compiled once.
template <class B>
struct maker {
    B& binding;

    template <class T>
    T operator()() const {
        return binding.template make_elsewhere<T>();
    }
};

/// The leaks of a filled object that was winked out, or, if winking out is not allowed, before its destructor ran.
struct winked_out {
    std::string type;
    bool winkable;
    long held_outside; ///< blocks outside the arena
    long leaked;       ///< blocks of temporary objects, always 0
};

template <class T, class B>
winked_out wink_out_filled(B& binding) {
    const maker<B> make{binding};
    winked_out result{type_name<T>(), mallard::winkable<T>, 0,
                      0}; // before the baseline, as the name may be on the heap
    const long baseline = binding.outside();
    if constexpr (mallard::winkable<T>) {
        fill(mallard::wink_out<T>(binding.place()), make);
        binding.place().release();
        result.held_outside = binding.outside() - baseline;
    } else {
        T& object = mallard::wink_out<T>(mallard::assume_winkable, binding.place());
        fill(object, make);
        result.held_outside = binding.outside() - baseline;
        std::destroy_at(&object);
        binding.place().release();
    }
    result.leaked = binding.outside() - baseline;
    return result;
}

/// Returns: the number of blocks that an object of the type holds outside the arena.
template <class T, class B>
long held_outside(B& binding) {
    const winked_out result = wink_out_filled<T>(binding);
    EXPECT_EQ(result.leaked, 0);
    return result.held_outside;
}

/// Returns: one result for each type.
template <class B, class... Ts>
std::vector<winked_out> wink_out_all(type_list<Ts...>) {
    B binding;
    std::vector<winked_out> results;
    (results.push_back(wink_out_filled<Ts>(binding)), ...);
    return results;
}

// Not a function of the list: overload resolution would need complete types, and some have no default constructor.
template <class List>
inline constexpr bool none_is_winkable = false;
template <class... Ts>
inline constexpr bool none_is_winkable<type_list<Ts...>> = (!mallard::winkable<Ts> && ...);

/// Effects: expects all types to be winkable and to leak nothing.
template <class B, class Types>
void expect_winkable(Types types) {
    for (const winked_out& result : wink_out_all<B>(types)) {
        EXPECT_TRUE(result.winkable && result.held_outside == 0 && result.leaked == 0) << result.type;
    }
}

/// Effects: expects all types to be refused and to leak.
template <class B, class Types>
void expect_refused(Types types) {
    for (const winked_out& result : wink_out_all<B>(types)) {
        EXPECT_TRUE(!result.winkable && result.held_outside > 0 && result.leaked == 0) << result.type;
    }
}

/// Effects: expects exactly the leaking types to be refused.
template <class B, class Types>
void expect_truth(Types types) {
    for (const winked_out& result : wink_out_all<B>(types)) {
        EXPECT_EQ(result.held_outside == 0, result.winkable) << result.type;
        EXPECT_EQ(result.leaked, 0) << result.type;
    }
}

} // namespace containers
