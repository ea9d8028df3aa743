#include "half.hpp"

int main() {
    half library;
    library.fill();
    static_cast<void>(library.pool.allocate(24));
    return library.requests == 1 ? 0 : 1;
}
