// The program of docs/advisor/tutorial.md: a server of Boost.Asio that parses each order that it receives with
// Boost.JSON, answers it in a line, and forgets it.
//
//     server PORT [CONNECTIONS]    ends after so many connections, or by SIGTERM
//
// An order is preceded by its length, in four bytes, the most significant first. Compiled as it is, it is the program
// before the change, with -DCHANGED the changed one. With -DREWRITTEN it is the null of the change: all of the rewrite,
// and the old allocator.
#include <boost/asio.hpp>
#include <boost/endian/buffers.hpp>
#include <boost/json/src.hpp> // Boost.JSON itself, compiled with this file
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>

namespace asio = boost::asio;
namespace json = boost::json;

#if defined(CHANGED) || defined(REWRITTEN)
#include <mallard/mallard.hpp>

// `recorded` shows the blocks to a recorder, for the proof that none outlives its request.
#if defined(CHANGED)
using request_mechanism = mallard::recorded<mallard::monotonic<>>;
#else
using request_mechanism = mallard::recorded<mallard::new_delete>;
#endif

/// The allocator of a request, as Boost.JSON takes allocators.
class request_memory final : public json::memory_resource {
public:
    request_mechanism arena{"request"};

private:
    void* do_allocate(std::size_t bytes, std::size_t alignment) override {
        return arena.allocate(bytes, alignment);
    }
    void do_deallocate(void* block, std::size_t bytes, std::size_t alignment) override {
        arena.deallocate(block, bytes, alignment);
    }
    bool do_is_equal(const json::memory_resource& other) const noexcept override { return this == &other; }
};
#endif

constexpr std::size_t most_bytes = std::size_t{1} << 20; // of an order

/// Returns: the customer of an order, and what its items cost.
std::string handle(std::string_view request) {
#if defined(CHANGED)
    thread_local request_memory memory;
    mallard::checkpoint rewound{memory.arena}; // first, so that it ends last
    // No destructor runs: the document owns nothing but memory of the request.
    const json::value& order = mallard::wink_out<json::value>(
        mallard::assume_winkable, memory.arena, json::parse({request.data(), request.size()}, &memory));
#elif defined(REWRITTEN)
    thread_local request_memory memory;
    const json::value order = json::parse({request.data(), request.size()}, &memory);
#else
    const json::value order = json::parse({request.data(), request.size()});
#endif
    double total = 0;
    for (const json::value& item : order.at("items").as_array()) {
        total += item.at("price").to_number<double>() * item.at("quantity").to_number<double>();
    }
    return json::serialize(
        json::object({{"customer", order.at("customer")}, {"total", total}}, order.storage()));
}

asio::awaitable<void> serve(asio::ip::tcp::socket client) {
    std::string request;
    try {
        for (;;) {
            boost::endian::big_uint32_buf_t bytes;
            co_await asio::async_read(client, asio::buffer(&bytes, sizeof bytes), asio::use_awaitable);
            if (bytes.value() > most_bytes) {
                throw std::length_error("it is longer than 1 MiB");
            }
            request.resize(bytes.value());
            co_await asio::async_read(client, asio::buffer(request), asio::use_awaitable);
            const std::string answer = handle(request) + '\n';
            co_await asio::async_write(client, asio::buffer(answer), asio::use_awaitable);
        }
    } catch (const boost::system::system_error& error) {
        if (error.code() != asio::error::eof) { // the client has gone
            std::fprintf(stderr, "server: %s\n", error.what());
        }
    } catch (const std::exception& error) {
        std::fprintf(stderr, "no order: %s\n", error.what());
    }
}

asio::awaitable<void> accept(unsigned short port, unsigned long connections, asio::signal_set& signals) {
    const asio::any_io_executor executor = co_await asio::this_coro::executor;
    asio::ip::tcp::acceptor acceptor(executor, {asio::ip::address_v4::loopback(), port});
    for (unsigned long connection = 0; connection != connections; ++connection) {
        asio::co_spawn(executor, serve(co_await acceptor.async_accept(asio::use_awaitable)), asio::detached);
    }
    signals.cancel(); // the last connections are served, and nothing else keeps the program
}

int main(int argc, char** argv) {
    if (argc < 2) {
        std::fprintf(stderr, "usage: server PORT [CONNECTIONS]\n");
        return 2;
    }
    const auto port = static_cast<unsigned short>(std::strtoul(argv[1], nullptr, 10));
    const unsigned long connections = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : -1UL;
    asio::io_context context(1);
    asio::signal_set signals(context, SIGTERM, SIGINT);
    signals.async_wait([&context](const boost::system::error_code& error, int /*number*/) {
        if (!error) {
            context.stop();
        }
    });
    asio::co_spawn(context, accept(port, connections, signals), [](const std::exception_ptr& failure) {
        if (failure) {
            std::rethrow_exception(failure);
        }
    });
    try {
        context.run();
    } catch (const std::exception& error) {
        std::fprintf(stderr, "server: %s\n", error.what());
        return 1;
    }
    return 0;
}
