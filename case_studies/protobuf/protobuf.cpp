// Protocol buffers: messages come in as bytes, are parsed, read and forgotten. The program writes its own messages
// first: PROGRAM ITEMS MESSAGES TIMES.
#include "case_studies/program/build.hpp"
#include "case_studies/program/checksum.hpp"

#include <google/protobuf/arena.h>
#include <protobuf/order.pb.h>

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
    checksum sum;
    sum.add(std::int64_t{order.id()});
    sum.add(std::string_view(order.customer()));
    sum.add(std::string_view(order.address().city()));
    for (const Item& item : order.items()) {
        sum.add(std::string_view(item.name()));
        sum.add(std::int64_t{item.price()});
        for (const std::string& label : item.labels()) {
            sum.add(std::string_view(label));
        }
    }
    return sum.value();
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

std::string text(std::mt19937& draw, unsigned least, unsigned most) {
    std::string made(least + draw() % (most - least + 1), ' ');
    for (char& letter : made) {
        letter = static_cast<char>('a' + draw() % 26);
    }
    return made;
}

std::string message(std::mt19937& draw, unsigned long items) {
    Order order;
    order.set_id(draw());
    order.set_customer(text(draw, 8, 40));
    order.mutable_address()->set_street(text(draw, 8, 40));
    order.mutable_address()->set_city(text(draw, 4, 20));
    for (unsigned long count = 1 + draw() % (2 * items); count != 0; --count) {
        Item& item = *order.add_items();
        item.set_name(text(draw, 8, 60));
        item.set_price(draw());
        for (unsigned long label = draw() % 4; label != 0; --label) {
            item.add_labels(text(draw, 4, 24));
        }
    }
    return order.SerializeAsString();
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
    for (std::string& each : messages) {
        each = message(draw, items);
    }
    checksum sum;
    for (unsigned long time = std::strtoul(argv[3], nullptr, 10); time != 0; --time) {
        for (const std::string& each : messages) {
            sum.add(handle(each));
        }
    }
    std::printf("%016llx\n", static_cast<unsigned long long>(sum.value()));
    return 0;
}
