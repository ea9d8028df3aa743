// The library of a package manager, which makes the object.
#include "desk.hpp"

desk& open_desk() {
    static desk made;
    static_cast<void>(made.orders.allocate(24, 8));
    made.open_orders = 1;
    return made;
}
