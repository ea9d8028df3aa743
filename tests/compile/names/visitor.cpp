// Reads a member of the object, behind the allocator.
#include "desk.hpp"

int main() {
    return open_desk().open_orders == 1 ? 0 : 1;
}
