/// Whether mallard::winkable tells the truth of a type: an object is made, filled, and ended by its arena alone.
#pragma once

#include "containers/fill.hpp"
#include "containers/types_to_wink_out.hpp"

#include <mallard/lifetime/wink_out.hpp>

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <type_traits>

template <class B>
inline constexpr bool mallard::winkable<containers::told<B>> = true;
template <>
inline constexpr bool mallard::winkable<containers::stated> = true;

namespace containers {

template <class T>
std::string name_of() {
    return __PRETTY_FUNCTION__;
}

/// Makes objects that take from elsewhere. One type for all: what fills an object is compiled once for each part.
template <class B>
struct maker {
    B& binding;

    template <class T>
    T operator()() const {
        return binding.template make_elsewhere<T>();
    }
};

/// Returns: how much is held outside the arena by a T that was filled and winked out; where it must not be, by
/// one whose destructor has not run yet.
template <class T, class B>
long held_outside(B& binding) {
    const maker<B> make{binding};
    const long before = binding.outside();
    long held = 0;
    if constexpr (mallard::winkable<T>) {
        fill(mallard::wink_out<T>(binding.place()), make);
        binding.place().release();
        held = binding.outside() - before;
    } else {
        T& made = mallard::wink_out<T>(mallard::assume_winkable, binding.place());
        fill(made, make);
        held = binding.outside() - before;
        std::destroy_at(&made);
        binding.place().release();
    }
    EXPECT_EQ(binding.outside(), before) << "temporary objects are gone";
    return held;
}

/// Effects: expects that all are winkable, and rightly.
template <class B, class... Ts>
void expect_winkable(list_of<Ts...>) {
    B binding;
    const auto expect = [&]<class T>() {
        EXPECT_TRUE(mallard::winkable<T>) << name_of<T>();
        EXPECT_EQ((held_outside<T>(binding)), 0) << name_of<T>();
    };
    (expect.template operator()<Ts>(), ...);
}

/// Effects: expects that none is winkable, and rightly.
template <class B, class... Ts>
void expect_refused(list_of<Ts...>) {
    B binding;
    const auto expect = [&]<class T>() {
        EXPECT_FALSE(mallard::winkable<T>) << name_of<T>();
        EXPECT_GT((held_outside<T>(binding)), 0) << name_of<T>();
    };
    (expect.template operator()<Ts>(), ...);
}

/// Effects: expects that all those are refused that leak, and no others.
template <class B, class... Ts>
void expect_truth(list_of<Ts...>) {
    B binding;
    const auto expect = [&]<class T>() {
        EXPECT_EQ((held_outside<T>(binding)) == 0, mallard::winkable<T>) << name_of<T>();
    };
    (expect.template operator()<Ts>(), ...);
}

} // namespace containers
