// Random operations on every allocator that keeps words of its own in poisoned memory. Only its own functions may read
// them, and the optimiser must not move such a read into another function.
#include <mallard/mallard.hpp>

#include <cstddef>
#include <cstdio>
#include <cstring>
#include <memory_resource>
#include <random>
#include <utility>
#include <vector>

namespace {

template <class A>
void play() {
    A mechanism;
    mallard::resource<A&> bound(mechanism);
    std::pmr::memory_resource& resource = bound;
    std::mt19937 random(1);
    std::vector<std::pair<void*, std::size_t>> blocks;
    for (int i = 0; i != 20'000; ++i) {
        if (blocks.empty() || random() % 2 == 0) {
            const std::size_t bytes = 8 + random() % 60;
            void* const p = resource.allocate(bytes, 8);
            std::memset(p, 1, bytes);
            blocks.emplace_back(p, bytes);
        } else {
            std::swap(blocks[random() % blocks.size()], blocks.back());
            resource.deallocate(blocks.back().first, blocks.back().second, 8);
            blocks.pop_back();
        }
    }
    for (const auto& [p, bytes] : blocks) {
        resource.deallocate(p, bytes, 8);
    }
}

template <class Reuse>
using multipool = mallard::multipool<mallard::chunk_cache, Reuse>;

} // namespace

int main() {
    play<multipool<mallard::first_freed>>();
    play<multipool<mallard::last_freed>>();
    play<mallard::small_object_pool<>>();
    play<mallard::adaptive_pool<>>();
    play<mallard::concurrent_multipool<>>();
    play<mallard::heap<>>();
    std::puts("nothing was reported");
}
