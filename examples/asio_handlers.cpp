// Handlers of Asio in a pool.
//
// Asio allocates the state of each asynchronous operation with the allocator of its handler: a member get_allocator(),
// and the type. It frees the state before it calls the handler, so that a chain of operations uses one block again
// and again.
#include <mallard/mallard.hpp>

#include <boost/asio.hpp>
#include <iostream>

namespace {

namespace asio = boost::asio;
using pool_type = mallard::counted<mallard::multipool<>>; // one thread runs this io_context

struct tick {
    using allocator_type = mallard::allocator<std::byte, pool_type>;

    asio::io_context& context;
    pool_type& pool;
    int remaining;

    [[nodiscard]] allocator_type get_allocator() const noexcept { return pool; }

    void operator()() const {
        if (remaining != 0) {
            asio::post(context, tick{context, pool, remaining - 1});
        }
    }
};

} // namespace

int main() {
    pool_type pool;
    asio::io_context context(1);
    asio::post(context, tick{context, pool, 1000});
    context.run();
    std::cout << pool.counts().allocations << " operations, " << pool.mechanism().stats().upstream_calls
              << " calls upstream, " << pool.counts().bytes_in_use << " bytes in use\n";
}
