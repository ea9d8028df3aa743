// Protocol buffers: messages are parsed from bytes, read and discarded. The program writes its own messages first:
// PROGRAM ITEMS MESSAGES TIMES.
#include "advisor/case_studies/program/build.hpp"
#include "advisor/case_studies/protobuf/orders.hpp"

#include <google/protobuf/arena.h>

#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

namespace {

using namespace case_studies;
using google::protobuf::Arena;

std::uint64_t read(Order& order, const std::string& bytes) {
    if (!order.ParseFromString(bytes)) {
        std::abort();
    }
    return order_checksum(order).value();
}

[[gnu::noinline]] std::uint64_t handle(const std::string& bytes) {
    if constexpr (is_build<before>) {
        Order order;
        return read(order, bytes);
    } else if constexpr (is_build<reused>) {
        static Order order;
        order.Clear();
        return read(order, bytes);
    } else if constexpr (is_build<library_pool>) {
        Arena arena;
        return read(*Arena::CreateMessage<Order>(&arena), bytes);
    } else if constexpr (is_build<library_pool_reused>) {
        alignas(16) static char buffer[std::size_t{1} << 16];
        google::protobuf::ArenaOptions options;
        options.initial_block = buffer;
        options.initial_block_size = sizeof buffer;
        static Arena arena(options);
        const std::uint64_t sum = read(*Arena::CreateMessage<Order>(&arena), bytes);
        arena.Reset();
        return sum;
    } else { // the changed code, without an arena
        Order* const order = Arena::CreateMessage<Order>(nullptr);
        const std::uint64_t sum = read(*order, bytes);
        delete order;
        return sum;
    }
}

} // namespace

int main(int argc, char** argv) {
    if (argc != 4) {
        std::fprintf(stderr, "usage: %s ITEMS MESSAGES TIMES\n", argv[0]);
        return 2;
    }
    const unsigned long items = std::strtoul(argv[1], nullptr, 10);
    std::mt19937 draw(42);
    std::vector<std::string> messages(std::strtoul(argv[2], nullptr, 10));
    for (std::string& bytes : messages) {
        bytes = make_order(draw, items).SerializeAsString();
    }
    checksum sum;
    for (unsigned long time = std::strtoul(argv[3], nullptr, 10); time != 0; --time) {
        for (const std::string& bytes : messages) {
            sum.add(handle(bytes));
        }
    }
    std::printf("%016llx\n", static_cast<unsigned long long>(sum.value()));
    return 0;
}
