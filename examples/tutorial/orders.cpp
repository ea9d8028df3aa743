// The program of docs/advisor/tutorial.md: it reads orders, counts the items of each customer, and forgets the order.
//
// Compiled as it is, it is the program before the change. With -DCHANGED it is the changed one, as the advice prints it.
// With -DREWRITTEN it is the null of the change: all of the rewrite, and the old allocator.
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#if defined(CHANGED) || defined(REWRITTEN)
#include <mallard/mallard.hpp>

#include <memory_resource>
#include <span>
using items = std::pmr::map<std::pmr::string, std::pmr::vector<std::pmr::string>>;
#else
using items = std::map<std::string, std::vector<std::string>>;
#endif

namespace {

// `recorded` shows the blocks to a recorder, for the proof that none outlives its order.
#if defined(CHANGED)
// The buffer serves 99 of 100 orders. More goes on in chunks, which are kept from order to order.
alignas(64) thread_local std::byte memory_buffer[16384];
thread_local mallard::resource<mallard::recorded<mallard::monotonic<>>> memory{
    "order", std::span<std::byte>{memory_buffer}};
#elif defined(REWRITTEN)
thread_local mallard::resource<mallard::recorded<mallard::new_delete>> memory{"order"};
#endif

/// Effects: adds each "customer=item;" of the text.
void read_items(std::string_view text, items& index) {
    while (!text.empty()) {
        const std::size_t end = text.find(';');
        const std::string_view field = text.substr(0, end);
        const std::size_t middle = field.find('=');
#if defined(CHANGED) || defined(REWRITTEN)
        index[std::pmr::string(field.substr(0, middle), &memory)].emplace_back(field.substr(middle + 1));
#else
        index[std::string(field.substr(0, middle))].emplace_back(field.substr(middle + 1));
#endif
        text.remove_prefix(end + 1);
    }
}

[[gnu::noinline]] std::size_t handle(std::string_view order) {
#if defined(CHANGED)
    mallard::checkpoint rewound{memory.mechanism()}; // first, so that it ends last
    items& index = mallard::wink_out<items>(memory); // no destructor runs
#elif defined(REWRITTEN)
    items index(&memory);
#else
    items index;
#endif
    read_items(order, index);
    std::size_t longest = 0;
    for (const auto& [customer, customer_items] : index) {
        longest = std::max(longest, customer_items.size());
    }
    return longest;
}

std::string random_order(std::mt19937& draw) {
    std::string order;
    for (unsigned item = 0; item != 60; ++item) {
        // Drawn one by one, because compilers differ in the order of calls within an expression.
        const auto customer = draw() % 25;
        const auto number = draw() % 1000;
        order += "a customer with the number " + std::to_string(customer) + "=an item of the catalogue, " +
                 std::to_string(number) + ";";
    }
    return order;
}

} // namespace

int main(int argc, char** argv) {
    const unsigned long orders = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 6000;
    std::mt19937 draw(1);
    std::vector<std::string> samples(20);
    for (std::string& sample : samples) {
        sample = random_order(draw);
    }
    std::size_t sum = 0;
    for (unsigned long order = 0; order != orders; ++order) {
        sum += handle(samples[order % samples.size()]);
    }
    std::printf("%lu orders, %zu\n", orders, sum);
    return 0;
}
