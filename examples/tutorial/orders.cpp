// The program of docs/advisor/tutorial.md: it reads orders, counts the items of each customer, and forgets the order.
//
// Compiled as it is, it is the program before the change. With -DMEMORY it is the changed one: MEMORY names the mechanism
// that serves an order, mallard::new_delete for the null of the rewrite.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#if defined(MEMORY)
#include <mallard/mallard.hpp>

#include <memory_resource>
using items = std::pmr::map<std::pmr::string, std::pmr::vector<std::pmr::string>>;
#else
using items = std::map<std::string, std::vector<std::string>>;
#endif

namespace {

/// Effects: adds each "customer=item;" of the text.
void read_items(std::string_view text, items& found) {
    while (!text.empty()) {
        const std::size_t end = text.find(';');
        const std::string_view field = text.substr(0, end);
        const std::size_t middle = field.find('=');
#if defined(MEMORY)
        const std::pmr::polymorphic_allocator<> memory = found.get_allocator().resource();
        found[std::pmr::string(field.substr(0, middle), memory)].emplace_back(field.substr(middle + 1));
#else
        found[std::string(field.substr(0, middle))].emplace_back(field.substr(middle + 1));
#endif
        text.remove_prefix(end + 1);
    }
}

#if defined(MEMORY)
/// Effects: the chunks of the memory serve the next order.
template <typename Memory>
void end_of_order(Memory& memory) {
    if constexpr (mallard::rewindable<Memory>) {
        memory.rewind();
    }
}
#endif

[[gnu::noinline]] std::size_t handle(std::string_view order) {
#if defined(MEMORY)
    static mallard::resource<mallard::recorded<MEMORY>> memory("order");
    std::size_t longest = 0;
    {
        items found(&memory);
        read_items(order, found);
        for (const auto& [customer, of_customer] : found) {
            longest = std::max(longest, of_customer.size());
        }
    }
    end_of_order(memory.mechanism());
    return longest;
#else
    items found;
    read_items(order, found);
    std::size_t longest = 0;
    for (const auto& [customer, of_customer] : found) {
        longest = std::max(longest, of_customer.size());
    }
    return longest;
#endif
}

std::string random_order(std::mt19937& draw) {
    std::string made;
    for (unsigned item = 0; item != 60; ++item) {
        // Drawn one by one, because compilers differ in the order of calls within an expression.
        const auto customer = draw() % 25;
        const auto number = draw() % 1000;
        made += "a customer with the number " + std::to_string(customer) + "=an item of the catalogue, " +
                std::to_string(number) + ";";
    }
    return made;
}

} // namespace

int main(int argc, char** argv) {
    const unsigned long orders = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 6000;
    std::mt19937 draw(1);
    std::vector<std::string> different(20);
    for (std::string& each : different) {
        each = random_order(draw);
    }
    std::size_t sum = 0;
    for (unsigned long order = 0; order != orders; ++order) {
        sum += handle(different[order % different.size()]);
    }
    std::printf("%lu orders, %zu\n", orders, sum);
    return 0;
}
