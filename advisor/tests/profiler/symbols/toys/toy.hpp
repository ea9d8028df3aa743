/// Functions for the tests of symbols: what compilers split, clone, inline and name in odd ways.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace toy {

extern volatile int sink;

template <class T>
struct shelf {
    explicit shelf(int size);
    __attribute__((noinline)) void put(const T& thing) { things.push_back(thing); }
    std::vector<T> things;
};

int other_file(int number);
int with_cold_part(int number);

/// Inlined twice: into `middle`, and that into `outer`.
inline __attribute__((always_inline)) int innermost(int number) {
    sink = number + 1;
    return sink * 3;
}

inline __attribute__((always_inline)) int middle(int number) {
    sink = number;
    const int got = innermost(number + 2);
    sink = got;
    return got + 1;
}

} // namespace toy
