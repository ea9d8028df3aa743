// A pool for a node container.
//
// An order book adds and removes nodes of one size all day. A pool gives a freed node to the next order at once, from
// memory that only this book uses: other parts of the program cannot scatter it.
#include <mallard/mallard.hpp>

#include <iostream>
#include <map>

namespace {

struct order {
    int quantity;
    double limit;
};

template <class T>
using pooled = mallard::allocator<T, mallard::multipool<>>;
using book = std::multimap<double, order, std::less<>, pooled<std::pair<const double, order>>>;

} // namespace

int main() {
    mallard::multipool pool;
    book orders(pool); // the pool is the container's allocator: no other argument is needed

    for (int i = 0; i != 1000; ++i) {
        orders.emplace(100.0 + i % 17, order{i, 100.0 + i % 17});
    }
    const std::size_t bytes_when_full = pool.stats().chunk_bytes;

    for (int day = 0; day != 1000; ++day) { // a million orders come and go
        for (int i = 0; i != 1000; ++i) {
            orders.erase(orders.begin());
            orders.emplace(100.0 + (day + i) % 17, order{i, 100.0});
        }
    }

    std::cout << orders.size() << " orders in " << pool.stats().chunks
              << " chunks; after a million changes the pool has "
              << (pool.stats().chunk_bytes == bytes_when_full ? "not grown" : "grown") << '\n';
}
