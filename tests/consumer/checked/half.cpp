#include "half.hpp"

half::half() = default;

void half::fill() {
    static_cast<void>(pool.allocate(24));
    ++requests;
}
