#include "toy.hpp"

#include <cstdlib>
#include <stdexcept>

namespace toy {

volatile int sink = 0;

namespace {

struct hidden {
    __attribute__((noinline)) int operator()(int number) const {
        sink = number;
        return number - 1;
    }
    /// DWARF has no linker name of a local type's member.
    template <class T>
    __attribute__((always_inline)) int inlined(T number) const {
        sink = number;
        return sink * 7;
    }
};

} // namespace

/// The other file has a function with this name.
static __attribute__((noinline)) int same_name(int number) {
    if (number > 1000) {
        std::abort();
    }
    sink = number;
    return sink + 1;
}

__attribute__((noinline)) int outer(int number) {
    sink = number;
    const int got = middle(number);
    sink = got + 7;
    return got + middle(got);
}

template <class T>
__attribute__((noinline)) shelf<T>::shelf(int size) {
    for (int index = 0; index < size; ++index) {
        things.push_back(T(static_cast<std::size_t>(index), 'x'));
    }
}

template struct shelf<std::string>;

__attribute__((noinline)) int with_cold_part(int number) {
    std::map<std::string, int> counts;
    counts["one"] = number;
    if (__builtin_expect(number == sink, 0)) {
        throw std::runtime_error("cold: " + std::to_string(number));
    }
    return counts["one"] + same_name(number);
}

/// Cloned for its only argument.
static __attribute__((noinline)) int with_clone(int number, int always_five) {
    sink = number * always_five;
    return sink + always_five;
}

/// Inlined into one caller, and called by another.
__attribute__((visibility("hidden"))) int once_inlined(int number) {
    sink = number;
    return sink * 5;
}

int (*volatile by_pointer)(int) = once_inlined;

__attribute__((noinline, flatten)) int flattened(int number) {
    return once_inlined(number) + 1;
}

int call_clones(int number) {
    const auto lambda = [number](int more) __attribute__((noinline)) { return sink + number + more; };
    return with_clone(number, 5) + with_clone(sink, 5) + lambda(3) + hidden{}(number) +
           hidden{}.inlined(number) + flattened(number) + by_pointer(number);
}

} // namespace toy

extern "C" int toy_plain_c(int number) {
    return toy::outer(number) + toy::other_file(number) + toy::call_clones(number);
}

int main() {
    toy::shelf<std::string> shelf(3);
    shelf.put("four");
    return toy_plain_c(toy::with_cold_part(5)) == 1;
}
