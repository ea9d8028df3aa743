/// Allocator use that both halves of the program share.
#pragma once

#include <mallard/mallard.hpp>

#include <array>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <list>

namespace end_of_process {

struct shared_nodes : mallard::shared_by_threads<shared_nodes, mallard::concurrent_multipool<>> {};
struct large_nodes : mallard::shared_by_threads<large_nodes, mallard::concurrent_multipool<>> {};
struct locked_nodes : mallard::shared_by_threads<locked_nodes, mallard::synchronized<mallard::multipool<>>> {
};
struct own_nodes : mallard::per_thread<own_nodes, mallard::multipool<>> {};
struct order : mallard::pooled<order> {
    std::array<char, 40> text{};
};

void make_objects_of_one();

template <class Pool>
void use(Pool& pool, std::size_t bytes) {
    std::array<void*, 30> blocks{};
    for (void*& p : blocks) {
        p = pool.allocate(bytes, 8);
        std::memset(p, 0x5A, bytes);
    }
    for (void* p : blocks) {
        if (static_cast<const unsigned char*>(p)[bytes - 1] != 0x5A) {
            std::abort();
        }
        pool.deallocate(p, bytes, 8);
    }
}

inline void use_everything(std::size_t seed) {
    const std::size_t bytes = 8 + seed * 24 % 900;
    use(large_nodes::pool(), 100 * bytes);
    use(shared_nodes::pool(), bytes);
    use(locked_nodes::pool(), bytes);
    use(own_nodes::pool(), bytes);
    delete new order;
    mallard::chunk_cache::deallocate(mallard::chunk_cache::allocate(150000), 150000);
    mallard::multipool<> brief;
    use(brief, bytes);
    mallard::concurrent_multipool<> brief_and_shared;
    use(brief_and_shared, bytes);
}

/// Uses everything in its constructor, keeps some of it, and uses everything in its destructor.
struct user_at_end {
    explicit user_at_end(std::size_t with) : seed(with) {
        use_everything(seed);
        numbers.assign(seed * 10, 1);
    }
    user_at_end(const user_at_end&) = delete;
    user_at_end& operator=(const user_at_end&) = delete;
    ~user_at_end() { use_everything(seed + 3); }

    std::size_t seed;
    std::list<std::size_t, mallard::static_allocator<std::size_t, own_nodes>> numbers;
};

} // namespace end_of_process
