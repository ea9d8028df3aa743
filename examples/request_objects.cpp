// Objects, arrays and texts in a request's memory, a line each.
//
// A parser makes many small things and forgets all of them when the request is answered. Each line takes memory of
// the same arena; nothing is freed one by one, and the next request gets the same memory again.
#include <mallard/mallard.hpp>

#include <algorithm>
#include <cstddef>
#include <iostream>
#include <memory_resource>
#include <span>
#include <string>
#include <string_view>

namespace {

struct field {
    std::string_view name;
    std::string_view value;
    field* next;
};

using arena_type = mallard::monotonic<>;

// The fields are objects of the arena and their texts are copies in it, so that they outlive the query.
field* parse(arena_type& arena, std::string_view query) {
    field* first = nullptr;
    while (!query.empty()) {
        const std::string_view part = query.substr(0, query.find('&'));
        query.remove_prefix(std::min(part.size() + 1, query.size()));
        const std::size_t equal = std::min(part.find('='), part.size() - 1);
        first =
            mallard::make<field>(arena, field{mallard::copy_string(arena, part.substr(0, equal)),
                                              mallard::copy_string(arena, part.substr(equal + 1)), first});
    }
    return first;
}

// The text grows in place, because it is the last block of the arena.
std::string_view answer(arena_type& arena, const field* fields) {
    mallard::string_builder text(arena);
    for (int line = 1; fields != nullptr; fields = fields->next) {
        text.append(line++)
            .append(": ")
            .append(fields->name)
            .append(" is ")
            .append(fields->value)
            .append('\n');
    }
    return text.finish();
}

} // namespace

int main() {
    alignas(64) std::byte buffer[4096];
    arena_type arena(buffer);
    for (const std::string& query :
         {std::string("customer=4711&item=duck&count=3"), std::string("item=drake")}) {
        std::cout << answer(arena, parse(arena, query));
        arena.rewind(); // the request's objects are gone, and the buffer is free again
    }

    const std::span<int> table = mallard::make_array<int>(arena, 100); // a hundred zeros
    mallard::resource<mallard::multipool<>> pool;
    const auto name =
        mallard::make_unique<std::pmr::string>(pool, "owned, destroyed and freed at the end of main");
    std::cout << table.size() << " numbers; " << *name
              << "; chunks besides the buffer: " << arena.stats().chunks << '\n';
}
