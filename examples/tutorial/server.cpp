// The program of docs/advisor/tutorial.md: a server of Boost.Asio that parses each line that it receives with
// nlohmann::json, answers it in a line, and forgets it.
//
//     server PORT [CONNECTIONS]    ends after so many connections, or by SIGTERM
//
// Compiled as it is, it is the program before the change, with -DCHANGED the changed one. With -DREWRITTEN it is the
// null of the change: all of the rewrite, and the old allocator.
// clang-format off
#include <utility> // which awaitable.hpp of Boost 1.74 needs, and does not include
#include <boost/asio.hpp>
// clang-format on
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#if defined(CHANGED) || defined(REWRITTEN)
#include <mallard/mallard.hpp>

#include <cstdint>
#include <map>
#include <vector>

// `recorded` shows the blocks to a recorder, for the proof that none outlives its request.
#if defined(CHANGED)
using request_mechanism = mallard::recorded<mallard::monotonic<>>;
#else
using request_mechanism = mallard::recorded<mallard::new_delete>;
#endif
struct request_arena : request_mechanism {
    request_arena() : request_mechanism("request") {}
};
struct request_memory : mallard::per_thread<request_memory, request_arena> {};

template <class T>
using request_allocator = mallard::static_allocator<T, request_memory>;
using request_string = std::basic_string<char, std::char_traits<char>, request_allocator<char>>;
using json = nlohmann::basic_json<std::map, std::vector, request_string, bool, std::int64_t, std::uint64_t,
                                  double, request_allocator>;
#else
using json = nlohmann::json;
#endif

namespace asio = boost::asio;

/// Returns: the customer of an order, and what its items cost.
std::string handle(std::string_view request) {
#if defined(CHANGED)
    mallard::checkpoint rewound{request_memory::pool()}; // first, so that it ends last
    // No destructor runs: the document owns nothing but memory of the request.
    const json& order =
        mallard::wink_out<json>(mallard::assume_winkable, request_memory::pool(), json::parse(request));
#else
    const json order = json::parse(request);
#endif
    double total = 0;
    for (const json& item : order.at("items")) {
        total += item.at("price").get<double>() * item.at("quantity").get<double>();
    }
    json answer;
    answer["customer"] = order.at("customer");
    answer["total"] = total;
    const auto text = answer.dump();
    return {text.begin(), text.end()};
}

asio::awaitable<void> serve(asio::ip::tcp::socket client) {
    std::string received;
    try {
        for (;;) {
            const std::size_t bytes = co_await asio::async_read_until(client, asio::dynamic_buffer(received),
                                                                      '\n', asio::use_awaitable);
            const std::string answer = handle(std::string_view(received).substr(0, bytes)) + '\n';
            received.erase(0, bytes);
            co_await asio::async_write(client, asio::buffer(answer), asio::use_awaitable);
        }
    } catch (const boost::system::system_error&) { // the client has gone
    } catch (const json::exception& error) {
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
