// From std::pmr: the containers stay, and only the lines that create the resources change.
//
// Each resource below is a std::pmr::memory_resource. One of them takes its chunks from another library's resource, one is
// limited to a buffer, and one may be used by several threads.
#include <mallard/mallard.hpp>

#include <array>
#include <cstddef>
#include <initializer_list>
#include <iostream>
#include <map>
#include <memory_resource>
#include <new>
#include <span>
#include <string>
#include <vector>

namespace {

std::size_t count_words(std::pmr::memory_resource& memory) {
    std::pmr::map<std::pmr::string, std::pmr::vector<int>> lines(&memory);
    for (int line = 0; line != 100; ++line) {
        lines[line % 2 == 0 ? "a word that is too long for the string itself" : "another word of that length"]
            .push_back(line);
    }
    return lines.size();
}

} // namespace

int main() {
    std::array<std::byte, 4096> bytes{};
    mallard::buffer only_these(std::span<std::byte>{bytes});

    mallard::resource<mallard::multipool<>> pool;
    mallard::resource<mallard::multipool<std::pmr::memory_resource>> over_another(
        *std::pmr::get_default_resource());
    mallard::resource<mallard::concurrent_multipool<>> shared;
    mallard::resource<mallard::monotonic<>> arena;
    mallard::resource<mallard::monotonic<mallard::buffer>> limited(only_these);

    for (std::pmr::memory_resource* memory :
         std::initializer_list<std::pmr::memory_resource*>{&pool, &over_another, &shared, &arena, &limited}) {
        std::cout << count_words(*memory) << ' ';
    }
    try {
        std::pmr::vector<int> too_many(10'000, &limited);
        std::cout << too_many.size() << '\n';
    } catch (const std::bad_alloc&) {
        std::cout << "and the buffer is full\n";
    }
}
