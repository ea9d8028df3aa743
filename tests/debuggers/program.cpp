/// One allocator of each kind in a known state, for the printers in debug/. Prints what each says of itself: lines of the
/// variable, the name of a figure and its value.
#include <mallard/mallard.hpp>

#include <cstddef>
#include <cstdio>
#include <cstring>
#include <span>
#include <string>
#include <vector>

alignas(16) std::byte memory[4][8192];

/// Objects that were never made, of a pattern.
union unmade {
    unmade() { std::memset(this, 0x5b, sizeof *this); }
    ~unmade() {}
    mallard::monotonic<> arena;
    mallard::multipool<> pool;
    mallard::fixed_pool<> fixed;
    mallard::heap<> heap;
} unmade;

struct tag : mallard::per_thread<tag, mallard::multipool<>> {};

struct order {
    std::string name;
};

// Not static, or the optimiser would remove some of them.
mallard::buffer stack(memory[0]);
mallard::monotonic<> arena;
mallard::monotonic<> spilled(memory[1], sizeof(memory[1]), {.growth = {.first_chunk_bytes = 1024}});
mallard::monotonic<mallard::buffer> chained(stack);
mallard::upstream_ref any(arena);
mallard::multipool<mallard::upstream_ref> below(any);
mallard::pages system_pages;
mallard::multipool<> pool;
mallard::multipool<mallard::pages, mallard::first_freed> queues(system_pages);
mallard::fast_fit<mallard::new_delete, mallard::last_freed> stacks;
mallard::concurrent_monotonic<> together;
mallard::concurrent_multipool<> shared;
mallard::fixed_pool_for<order> orders;
mallard::fixed_pool_for<order, mallard::static_arena<1024>, mallard::last_freed> few;
mallard::fixed_pool<mallard::buffer_arena> given(memory[2]);
mallard::fixed_pool<mallard::single_arena<>> single(mallard::block_size{24, 8}, 100);
mallard::fixed_pool<> unused;
mallard::small_object_pool<> small;
mallard::adaptive_pool<> nodes;
mallard::adaptive_pool<mallard::chunk_cache, mallard::slab_shape::undivided> whole_nodes;
mallard::heap<> heap;
mallard::region_heap& region = mallard::region_heap::create_in(memory[3]);

mallard::counted<mallard::monotonic<>> counted;
mallard::limited<mallard::monotonic<>&> limited(1000, arena);
mallard::failing<mallard::heap<>> failing(mallard::failure_plan{.at = 7});
mallard::recorded<mallard::multipool<>> recorded("nodes");
mallard::retrying<mallard::multipool<>> retrying([](std::size_t, std::size_t) noexcept { return false; });
mallard::named<mallard::multipool<>> named("named");
mallard::synchronized<mallard::multipool<>> locked;
mallard::segregate<64, mallard::small_object_pool<>, mallard::heap<>> both;
mallard::fallback<mallard::fixed_pool<>, mallard::new_delete> either;
mallard::checked<mallard::monotonic<>> checked;

mallard::resource<mallard::monotonic<>> by_base;
mallard::inline_resource* base = &by_base;
mallard::allocator<int, mallard::monotonic<>> bound(arena);
mallard::allocator<int, mallard::inline_resource> bound_to_base(base);
mallard::expandable_allocator<int, mallard::heap<>> growing(heap);
mallard::static_allocator<int, tag> of_tag;
mallard::multipool<> many_freed;
mallard::fixed_pool_for<order> all_freed;
mallard::object_arena<> objects;
mallard::monotonic<> marked;
mallard::checkpoint before(marked);

namespace {

template <class A>
void use(A& a, std::size_t bytes, int allocations, int deallocations) {
    std::vector<void*> blocks;
    for (int i = 0; i != allocations; ++i) {
        blocks.push_back(a.allocate(bytes, 8));
    }
    for (int i = 0; i != deallocations; ++i) {
        a.deallocate(blocks[static_cast<std::size_t>(i)], bytes, 8);
    }
}

template <class A>
void tell(const char* name, A& a) {
    const auto line = [name](const char* figure, std::size_t value) {
        std::printf("%s %s %zu\n", name, figure, value);
    };
    const mallard::allocator_stats stats = a.stats();
    line("chunks", stats.chunks);
    line("chunk_bytes", stats.chunk_bytes);
    line("large_blocks", stats.large_blocks);
    line("spills", stats.spills);
    line("upstream_calls", stats.upstream_calls);
    if constexpr (requires { a.bytes_left(); }) {
        line("bytes_left", a.bytes_left());
    }
    if constexpr (requires { a.bytes_in_use(); }) {
        line("bytes_in_use", a.bytes_in_use());
    }
    if constexpr (requires { a.block_bytes(); } && requires { a.capacity(); }) {
        line("block_bytes", a.block_bytes());
        line("capacity", a.capacity());
    }
    if constexpr (requires { a.node_bytes(); }) {
        line("node_bytes", a.node_bytes());
    }
    if constexpr (requires { a.use(); }) {
        const auto use = a.use();
        line("live_blocks", use.used_blocks);
        line("bytes_in_use", use.used_bytes);
        line("free_bytes", use.free_bytes);
        line("largest_free_bytes", use.largest_free_bytes);
    }
    if constexpr (requires { a.region_bytes(); }) {
        line("region_bytes", a.region_bytes());
    }
}

} // namespace

/// Where the debuggers stop.
extern "C" [[gnu::noinline]] void all_is_used() {
    asm volatile("" ::: "memory");
}

int main() {
    use(arena, 48, 2, 0);
    use(spilled, 100, 100, 0);
    use(chained, 40, 1, 0);
    use(below, 24, 4, 1);
    use(pool, 40, 10, 3);
    use(pool, 100, 2, 1);
    use(pool, 100000, 1, 0);
    use(queues, 40, 300, 280);
    use(queues, 80, 4, 4);
    use(stacks, 40, 5, 2);
    use(together, 100, 100, 0);
    use(shared, 40, 5, 2);
    use(orders, sizeof(order), 200, 150);
    use(few, sizeof(order), 5, 2);
    use(given, 16, 50, 20);
    use(many_freed, 16, 30000, 30000);
    use(all_freed, sizeof(order), 30000, 30000);
    use(single, 20, 100, 100);
    use(small, 3, 10, 4);
    use(small, 40, 5, 1);
    use(small, 200, 2, 1);
    use(nodes, 40, 1000, 400);
    use(nodes, 5000, 1, 0);
    use(whole_nodes, 24, 1000, 990);
    use(heap, 40, 10, 4);
    use(heap, 1 << 20, 1, 0);
    use(counted, 10, 3, 1);
    use(limited, 100, 2, 0);
    use(failing, 10, 2, 0);
    use(locked, 10, 2, 0);
    use(both, 10, 2, 0);
    use(both, 100, 1, 0);
    use(region, 40, 5, 2);
    use(either, 10, 2, 0);
    use(checked, 10, 3, 1);
    use(by_base, 10, 1, 0);
    static_cast<void>(objects.make<order>("a"));
    static_cast<void>(objects.make<order>("b"));
    static_cast<void>(of_tag);
#define TELL(name) tell(#name, name)
    TELL(arena), TELL(spilled), TELL(chained), TELL(below), TELL(pool), TELL(queues), TELL(stacks);
    TELL(orders), TELL(few), TELL(given), TELL(single), TELL(unused);
    TELL(small), TELL(nodes), TELL(whole_nodes), TELL(heap), TELL(region), TELL(together);
    all_is_used();
}
