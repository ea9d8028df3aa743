// A program of somebody else: it knows the installed library only.
#include <mallard/mallard.hpp>

#include <array>
#include <cstddef>
#include <iostream>
#include <map>
#include <memory_resource>
#include <numeric>
#include <span>
#include <vector>

int main() {
    alignas(std::max_align_t) std::array<std::byte, 1024> buffer;
    mallard::monotonic<> region{std::span<std::byte>(buffer)};
    std::vector<int, mallard::allocator<int, mallard::monotonic<>>> numbers(region);
    numbers.resize(1000); // more than the buffer holds, so that the library's compiled part is needed
    std::iota(numbers.begin(), numbers.end(), 1);

    mallard::resource<mallard::multipool<>> pool;
    std::pmr::map<int, int> squares(&pool);
    for (int number : numbers) {
        squares[number % 100] += number;
    }

    std::cout << "sum " << std::accumulate(numbers.begin(), numbers.end(), 0) << ", " << squares.size()
              << " classes\n";
}
