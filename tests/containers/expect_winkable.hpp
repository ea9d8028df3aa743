/// Compares mallard::winkable with the truth: an object of the type is made, filled, and ended by its arena alone.
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
inline constexpr bool mallard::winkable<containers::told<B>> = true;
template <>
inline constexpr bool mallard::winkable<containers::stated> = true;

namespace containers {

template <class T>
std::string name_of() {
    return __PRETTY_FUNCTION__;
}

/// Makes objects with memory from elsewhere. It has one type, so that the code that fills an object is compiled once.
template <class B>
struct maker {
    B& binding;

    template <class T>
    T operator()() const {
        return binding.template make_elsewhere<T>();
    }
};

/// The leaks of an object that was filled and winked out, or, if that is not allowed, of one before its destructor.
struct winked_out {
    std::string type;
    bool winkable;
    long held_outside; ///< of the arena
    long left_over;    ///< by temporary objects: nothing
};

template <class T, class B>
winked_out wink_out_filled(B& binding) {
    const maker<B> make{binding};
    winked_out result{name_of<T>(), mallard::winkable<T>, 0, 0}; // its name may be on the global heap
    const long before = binding.outside();
    if constexpr (mallard::winkable<T>) {
        fill(mallard::wink_out<T>(binding.place()), make);
        binding.place().release();
        result.held_outside = binding.outside() - before;
    } else {
        T& made = mallard::wink_out<T>(mallard::assume_winkable, binding.place());
        fill(made, make);
        result.held_outside = binding.outside() - before;
        std::destroy_at(&made);
        binding.place().release();
    }
    result.left_over = binding.outside() - before;
    return result;
}

/// Returns: the number of blocks that such an object holds outside the arena.
template <class T, class B>
long held_outside(B& binding) {
    const winked_out result = wink_out_filled<T>(binding);
    EXPECT_EQ(result.left_over, 0);
    return result.held_outside;
}

/// Returns: the results for objects of all the types.
template <class B, class... Ts>
std::vector<winked_out> wink_out_all(list_of<Ts...>) {
    B binding;
    std::vector<winked_out> results;
    (results.push_back(wink_out_filled<Ts>(binding)), ...);
    return results;
}

// No functions of a list: looking one up would need all types whole, and some cannot be made without arguments.
template <class List>
inline constexpr bool none_is_winkable = false;
template <class... Ts>
inline constexpr bool none_is_winkable<list_of<Ts...>> = (!mallard::winkable<Ts> && ...);

/// Effects: expects that all are winkable, and rightly.
template <class B, class Types>
void expect_winkable(Types types) {
    for (const winked_out& each : wink_out_all<B>(types)) {
        EXPECT_TRUE(each.winkable && each.held_outside == 0 && each.left_over == 0) << each.type;
    }
}

/// Effects: expects that none is winkable, and rightly.
template <class B, class Types>
void expect_refused(Types types) {
    for (const winked_out& each : wink_out_all<B>(types)) {
        EXPECT_TRUE(!each.winkable && each.held_outside > 0 && each.left_over == 0) << each.type;
    }
}

/// Effects: expects that all those are refused that leak, and no others.
template <class B, class Types>
void expect_truth(Types types) {
    for (const winked_out& each : wink_out_all<B>(types)) {
        EXPECT_EQ(each.held_outside == 0, each.winkable) << each.type;
        EXPECT_EQ(each.left_over, 0) << each.type;
    }
}

} // namespace containers
