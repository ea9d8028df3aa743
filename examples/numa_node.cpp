// A pool on the NUMA node of its threads.
//
// A worker's objects lie in the memory of its node. A machine with one node, or a system that binds no memory, says so
// before anything is allocated.
#include <mallard/mallard.hpp>

#include <iostream>
#include <numeric>
#include <vector>

namespace {

template <class Upstream>
int work_over(Upstream& memory) {
    mallard::multipool pool(memory);
    std::vector<int, mallard::allocator<int, decltype(pool)>> numbers(1000, &pool);
    std::iota(numbers.begin(), numbers.end(), 1);
    return std::accumulate(numbers.begin(), numbers.end(), 0);
}

} // namespace

int main() {
    constexpr unsigned node = 0; // of the processor that runs this thread: getcpu() tells
    if (mallard::numa_pages::has_node(node)) {
        mallard::numa_pages memory(node);
        std::cout << work_over(memory) << '\n';
    } else {
        mallard::pages memory;
        std::cout << work_over(memory) << '\n';
    }

    constexpr unsigned no_such_node = 1023;
    try {
        const mallard::numa_pages elsewhere(no_such_node);
    } catch (const mallard::refused_request& refusal) {
        std::cout << refusal.what() << '\n';
    }
}
