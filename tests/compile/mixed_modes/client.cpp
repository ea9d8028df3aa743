// A program that uses an allocator which its library made.
#include "server.hpp"

int main() {
    server s;
    s.serve();
    static_cast<void>(s.pool.allocate(24, 8));
}
