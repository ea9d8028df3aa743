// The library of a package manager.
#include "server.hpp"

server::server() = default;

void server::serve() {
    static_cast<void>(pool.allocate(24, 8));
    ++requests;
}
