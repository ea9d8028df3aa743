// Random operations on a few kinds of allocators, chosen by a macro: turns of a soak, and runs of the contract suite, which
// look at the allocator more often. A mutant has to survive them and the unit tests of its file.
#include "model/bound_subject.hpp"
#include "model/turn.hpp"

#include <cstdint>
#include <cstdio>
#include <vector>

namespace {

std::vector<model::kind> kinds;

template <class Recipe, template <class> class Adaptor = model::none>
void add(model::bounds most = {}) {
    kinds.push_back({{}, "allocator", "adaptor", "direct", most, model::make_adapted<Recipe, Adaptor>});
}

template <class Recipe, template <class> class Binding>
void add_bound() {
    kinds.push_back(
        {{}, "allocator", "plain", "binding", {}, model::make_bound<Recipe, model::none, Binding>});
}

using multipool = model::multipool_reusing<mallard::first_freed>;

#if defined(KINDS_OF_MONOTONIC)
void add_kinds() {
    constexpr model::bounds forgetful{.uses_again = false};
    add<model::monotonic>(forgetful);
    add<model::monotonic_with_buffer, model::checked>(forgetful);
    add<model::monotonic_over_multipool>(forgetful);
}
#elif defined(KINDS_OF_MULTIPOOL)
void add_kinds() {
    add<multipool>();
    add<model::multipool_reusing<mallard::last_freed>>();
    add<model::multipool_of_small_blocks>();
    add<model::fast_fit>();
}
#elif defined(KINDS_OF_FIXED_POOL)
void add_kinds() {
    constexpr model::bounds in_blocks{.bytes = 1024, .alignment = 256};
    add<model::fixed_pool_of_a_size<mallard::last_freed>>(in_blocks);
    add<model::fixed_pool_of_a_size<mallard::first_freed>>(in_blocks);
}
#elif defined(KINDS_OF_SMALL_OBJECT_POOL)
void add_kinds() {
    add<model::small_object_pool>();
}
#elif defined(KINDS_OF_ADAPTIVE_POOL)
void add_kinds() {
    add<model::adaptive_pool<mallard::slab_shape::divided>>();
    add<model::adaptive_pool<mallard::slab_shape::undivided>>();
}
#elif defined(KINDS_OF_HEAP)
void add_kinds() {
    add<model::heap_of_small_chunks>();
    add<model::heap_over_system<mallard::chunk_cache>>({.bytes = std::size_t{1} << 20});
    add<model::heap_in_region>({.live_bytes = std::size_t{4} << 20, .may_refuse = true});
}
#elif defined(KINDS_OF_CONCURRENT_MULTIPOOL)
void add_kinds() {
    add<model::concurrent_multipool>();
    add<model::concurrent_multipool_of_small_blocks>();
}
#elif defined(KINDS_OF_CONCURRENT_MONOTONIC)
void add_kinds() {
    add<model::concurrent_monotonic>({.uses_again = false});
}
#elif defined(KINDS_OF_ADAPTOR)
void add_kinds() {
    add<multipool, model::counted>();
    add<multipool, model::failing>();
    add<multipool, model::checked>();
    add<multipool, model::sealed>();
    add<multipool, model::retrying>();
    add<multipool, model::limited_to_little>({.may_refuse = true});
    add<model::synchronized_multipool>();
    add<model::heap_of_small_chunks, model::counted>();
    add<model::heap_of_small_chunks, model::checked>();
    add<model::heap_of_small_chunks, model::limited_to_little>({.may_refuse = true});
}
#elif defined(KINDS_OF_BINDING)
void add_kinds() {
    add_bound<multipool, model::type_parameter>();
    add_bound<multipool, model::abstract_base>();
    add_bound<multipool, model::tag>();
    add_bound<model::heap_of_small_chunks, model::expandable>();
}
#elif defined(KINDS_OF_UPSTREAM)
void add_kinds() {
    constexpr std::size_t mebibyte = std::size_t{1} << 20;
    add<model::system_upstream<mallard::chunk_cache>>({.bytes = mebibyte, .slowness = 4});
    add<model::system_upstream<mallard::pages>>({.live_blocks = 256, .slowness = 16});
    add<model::system_upstream<mallard::new_delete>>();
    add<model::buffer_upstream>({.release_bytes = 14 * mebibyte, .may_refuse = true, .uses_again = false});
}
#else
#error "a macro has to choose the kinds: -DKINDS_OF_HEAP, say"
#endif

int report(const model::outcome& done) {
    std::printf("%s\n", done.fault.c_str());
    return 1;
}

} // namespace

int main() {
    add_kinds();
    for (std::uint64_t seed = 1; seed != 9; ++seed) {
        for (const model::kind& k : kinds) {
            if (const model::outcome done = model::play_turn(k, seed, 3000); !done.fault.empty()) {
                return report(done);
            }
        }
    }
    constexpr model::pace speed{.operations_per_look = 16};
    for (std::uint64_t seed = 1; seed != 5; ++seed) {
        for (const model::kind& k : kinds) {
            const std::vector<std::uint8_t> bytes = model::random_bytes(seed, 2250);
            if (const model::outcome done = model::play_bytes(k, bytes, speed, seed % 2 == 0);
                !done.fault.empty()) {
                return report(done);
            }
        }
    }
    return 0;
}
