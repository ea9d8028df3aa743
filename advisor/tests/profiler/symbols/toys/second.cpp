#include "toy.hpp"

#include <cstdlib>

namespace toy {

static __attribute__((noinline)) int same_name(int number) {
    if (number > 2000) {
        std::abort();
    }
    sink = number + 5;
    return sink - 1;
}

int other_file(int number) {
    sink = innermost(number);
    return same_name(number) + sink;
}

} // namespace toy
