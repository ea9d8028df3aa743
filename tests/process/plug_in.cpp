// A library that a program loads while it runs, with allocators of every kind that keep something for a thread or for
// the process.
#include <mallard/mallard.hpp>

#include <array>
#include <cstddef>
#include <cstring>
#include <list>

namespace {

struct shared_nodes : mallard::shared_by_threads<shared_nodes, mallard::concurrent_multipool<>> {};
struct locked_nodes : mallard::shared_by_threads<locked_nodes, mallard::synchronized<mallard::multipool<>>> {
};
struct own_nodes : mallard::per_thread<own_nodes, mallard::multipool<>> {};

struct order : mallard::pooled<order> {
    std::array<char, 40> text{};
};

/// Larger than the room that a program has for such variables of libraries that it loads later.
thread_local std::array<char, 4096> of_the_plug_in{};

template <class Pool>
int use(Pool& pool, std::size_t bytes) {
    std::array<void*, 100> blocks{};
    for (void*& p : blocks) {
        p = pool.allocate(bytes, 8);
        std::memset(p, 0x5A, bytes);
    }
    int wrong = 0;
    for (void* p : blocks) {
        wrong += static_cast<const unsigned char*>(p)[bytes - 1] == 0x5A ? 0 : 1;
        pool.deallocate(p, bytes, 8);
    }
    return wrong;
}

} // namespace

/// Templates of other plug-ins too, if the compiler makes one of those of all libraries.
struct common_nodes : mallard::shared_by_threads<common_nodes, mallard::concurrent_multipool<>> {};
struct common_own_nodes : mallard::per_thread<common_own_nodes, mallard::fixed_pool<>> {};

/// Returns: the number of blocks that lost their contents. It uses only pools that outlast the program's end, because
/// threads still run then.
extern "C" int use_pools_of_types() {
    of_the_plug_in.fill('x');
    static thread_local std::list<int, mallard::static_allocator<int, common_own_nodes>> numbers;
    numbers.push_back(1);
    int wrong = use(shared_nodes::pool(), 24) + use(locked_nodes::pool(), 24);
    wrong += use(own_nodes::pool(), 24) + use(common_nodes::pool(), 24);
    delete new order;
    void* const chunk = mallard::chunk_cache::allocate(300000);
    std::memset(chunk, 1, 300000);
    mallard::chunk_cache::deallocate(chunk, 300000);
    return wrong;
}

/// Returns: the number of blocks that lost their contents. `pool` belongs to the program or another plug-in, or is null.
extern "C" int use_plug_in(void* pool) {
    static mallard::concurrent_multipool<> of_the_library; // it ends with the library
    int wrong = use(of_the_library, 24) + use_pools_of_types();
    if (pool != nullptr) {
        wrong += use(*static_cast<mallard::concurrent_multipool<>*>(pool), 24);
    }
    return wrong;
}
