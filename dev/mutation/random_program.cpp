// Some turns of a soak with a few kinds of allocators, chosen by a macro. A mutant has to survive it and the unit test of
// its file.
#include "soak/kinds/add_kinds.hpp"
#include "soak/play/turn.hpp"

#include <cstdint>
#include <cstdio>

namespace {

template <class Recipe, template <class> class Adaptor = contract::none,
          template <class> class Binding = contract::direct>
void add(soak::bounds most = {}) {
    soak::add<Recipe, Adaptor, Binding>("allocator", "adaptor", "binding", most);
}

using multipool = contract::multipool_reusing<mallard::first_freed>;

#if defined(KINDS_OF_MONOTONIC)
void add_kinds() {
    constexpr soak::bounds forgetful{.uses_again = false};
    add<contract::monotonic>(forgetful);
    add<contract::monotonic_with_buffer, contract::checked>(forgetful);
    add<contract::monotonic_over_multipool>(forgetful);
}
#elif defined(KINDS_OF_MULTIPOOL)
void add_kinds() {
    add<multipool>();
    add<contract::multipool_reusing<mallard::last_freed>>();
    add<contract::multipool_of_small_blocks>();
    add<contract::fast_fit>();
}
#elif defined(KINDS_OF_FIXED_POOL)
template <class Reuse>
struct fixed_pool {
    explicit fixed_pool(equipment::ledger& source)
        : top(mallard::block_size{.bytes = 1024, .alignment = 256}, source) {}
    void release_below() noexcept {}
    mallard::fixed_pool<mallard::growing_arena<equipment::ledger>, Reuse> top;
};

void add_kinds() {
    constexpr soak::bounds in_blocks{.bytes = 1024, .alignment = 256};
    add<fixed_pool<mallard::last_freed>>(in_blocks);
    add<fixed_pool<mallard::first_freed>>(in_blocks);
}
#elif defined(KINDS_OF_SMALL_OBJECT_POOL)
void add_kinds() {
    add<contract::small_object_pool>();
}
#elif defined(KINDS_OF_ADAPTIVE_POOL)
void add_kinds() {
    add<contract::adaptive_pool<contract::few_nodes>>();
    add<contract::adaptive_pool<contract::aligned_nodes>>();
}
#elif defined(KINDS_OF_HEAP)
void add_kinds() {
    add<contract::heap_of_small_chunks>();
    add<contract::heap_over_system<mallard::chunk_cache>>({.bytes = std::size_t{1} << 20});
    add<contract::heap_in_region>({.live_bytes = std::size_t{4} << 20, .may_refuse = true});
}
#elif defined(KINDS_OF_CONCURRENT_MULTIPOOL)
void add_kinds() {
    add<contract::concurrent_multipool>();
    add<contract::concurrent_multipool_of_small_blocks>();
}
#elif defined(KINDS_OF_ADAPTOR)
void add_kinds() {
    add<multipool, contract::counted>();
    add<multipool, contract::failing>();
    add<multipool, contract::checked>();
    add<multipool, soak::limited_to_little>({.may_refuse = true});
    add<contract::synchronized_multipool>();
    add<contract::heap_of_small_chunks, contract::counted>();
    add<contract::heap_of_small_chunks, contract::checked>();
    add<contract::heap_of_small_chunks, soak::limited_to_little>({.may_refuse = true});
}
#elif defined(KINDS_OF_BINDING)
void add_kinds() {
    add<multipool, contract::none, contract::type_parameter>();
    add<multipool, contract::none, contract::abstract_base>();
    add<multipool, contract::none, contract::tag>();
    add<contract::heap_of_small_chunks, contract::none, soak::expandable>();
}
#elif defined(KINDS_OF_UPSTREAM)
void add_kinds() {
    constexpr std::size_t mebibyte = std::size_t{1} << 20;
    add<contract::system_upstream<mallard::chunk_cache>>({.bytes = mebibyte, .slowness = 4});
    add<contract::system_upstream<mallard::pages>>({.live_blocks = 256, .slowness = 16});
    add<contract::system_upstream<mallard::new_delete>>();
    add<contract::buffer_upstream>({.release_bytes = 14 * mebibyte, .may_refuse = true, .uses_again = false});
}
#else
#error "a macro has to choose the kinds: -DKINDS_OF_HEAP, say"
#endif

} // namespace

int main() {
    add_kinds();
    for (std::uint64_t seed = 1; seed != 9; ++seed) {
        for (const soak::kind& k : soak::kinds()) {
            if (const soak::outcome done = soak::play_turn(k, seed, 3000); !done.fault.empty()) {
                std::printf("%s\n", done.fault.c_str());
                return 1;
            }
        }
    }
    return 0;
}
