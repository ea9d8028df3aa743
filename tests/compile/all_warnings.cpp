// Every template of the library with all its members, compiled with every warning that a user may have on.
#include <mallard/mallard.hpp>

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace {

struct source : mallard::new_delete {};
struct node {
    node* next;
    short number;
};
struct nodes : mallard::per_thread<nodes, mallard::fixed_pool_for<node>> {};
struct shared : mallard::shared_by_threads<shared, mallard::concurrent_multipool<>> {};
struct order : mallard::pooled<order> {
    order() : number(0) {}
    int number;
};

} // namespace

// Of each order of reuse, by class and of one size.
template class mallard::monotonic<>;
template class mallard::monotonic<mallard::buffer>;
template class mallard::multipool<>;
template class mallard::multipool<mallard::monotonic<>, mallard::last_freed>;
template class mallard::multipool<mallard::chunk_cache, mallard::first_freed, mallard::power_of_two_classes>;
template class mallard::concurrent_multipool<>;
template class mallard::concurrent_multipool<mallard::pages>;
template class mallard::fixed_pool<>;
template class mallard::fixed_pool<mallard::static_arena<4096>, mallard::first_freed,
                                   mallard::block_size{24}>;
template class mallard::fixed_pool<mallard::buffer_arena, mallard::first_freed>;
template class mallard::small_object_pool<>;
template class mallard::small_object_pool<mallard::new_delete>;
template class mallard::adaptive_pool<>;
template class mallard::adaptive_pool<mallard::new_delete, mallard::slab_shape::undivided>;
template class mallard::heap<>;
template class mallard::heap<mallard::monotonic<>>;

template class mallard::counted<mallard::multipool<>>;
template class mallard::limited<mallard::heap<>>;
template class mallard::failing<mallard::multipool<>>;
template class mallard::sealed<mallard::heap<>>;
template class mallard::retrying<mallard::heap<>>;
template class mallard::named<mallard::multipool<>>;
template class mallard::concurrent_monotonic<>;
template class mallard::recorded<mallard::heap<>>;
template class mallard::recorded<mallard::monotonic<>&>;
template class mallard::synchronized<mallard::heap<>>;
template class mallard::checked<mallard::heap<>>;
template class mallard::checked<mallard::monotonic<>&>;
template class mallard::checked<mallard::fixed_pool<>>;
template class mallard::checked<mallard::concurrent_multipool<>>;

template class mallard::c_functions<shared>;
template class mallard::sized_c_functions<mallard::monotonic<>>;
template class mallard::bind::c_blocks<mallard::multipool<>, false>;
template class mallard::bind::c_blocks<mallard::heap<>, false>;
template class mallard::bind::c_blocks<mallard::monotonic<>, true>;
template class mallard::allocator<int, mallard::multipool<>>;
template class mallard::resource<mallard::multipool<>>;
template class mallard::resource<mallard::heap<>&>;
template class mallard::resource<mallard::monotonic<>>;
template class mallard::allocator<int, mallard::inline_resource>;
template class mallard::expandable_allocator<node, mallard::heap<>>;
template class mallard::static_allocator<node, nodes>;
template class mallard::static_allocator<char, shared>;
template class mallard::fixed_block_allocator<char, 112>;
template class mallard::checkpoint<mallard::monotonic<>>;

int main() {
    source upstream;
    mallard::multipool pool(upstream);
    mallard::heap heap;
    mallard::monotonic arena(pool);
    using text = std::basic_string<char, std::char_traits<char>, mallard::allocator<char, decltype(arena)>>;
    using entry = std::pair<const int, text>;
    using map = std::map<int, text, std::less<>, mallard::allocator<entry, decltype(arena)>>;
    mallard::wink_out<map>(arena).emplace(1, "text");
    mallard::deallocate_many(pool, mallard::allocate_many(pool, 24, 8, 10), 24, 8);
    mallard::deallocate_many(heap, mallard::allocate_many(heap, 24, 8, 10), 24, 8);
    const mallard::checkpoint mark(arena);
    delete new order;
    mallard::fixed_string<112> line("line");
    mallard::check(pool);
    mallard::expect_all_freed(pool);
}
