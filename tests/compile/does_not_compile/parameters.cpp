// Parameters of templates: arenas, blocks, size classes and orders of reuse.

#include <mallard/mallard.hpp>

#include <cstddef>
#include <type_traits>

#ifdef arena_too_small_for_a_block
// EXPECTED: the arena is too small for one block of this pool, wherever it lies; make it larger
struct node {
    node* next;
    int values[10];
};
mallard::fixed_pool_for<node, mallard::static_arena<LEGAL ? 64 : 32>> pool;
#endif

#ifdef arena_too_small_for_an_alignment
// EXPECTED: make it larger, by as much as the alignment of an over-aligned block
struct alignas(64) line {
    char bytes[64];
};
mallard::fixed_pool_for<line, mallard::static_arena<LEGAL ? 64 + 48 : 64>> pool;
#endif

#ifdef static_arena_of_nothing
// EXPECTED: a static_arena of fewer bytes than a pointer has holds no block
mallard::fixed_pool<mallard::static_arena<LEGAL ? 8 : 4>> pool;
#endif

#ifdef block_of_no_size
// EXPECTED: no block can have this size and alignment
mallard::fixed_pool<mallard::growing_arena<>, mallard::last_freed, mallard::block_size{24, LEGAL ? 8 : 24}>
    pool;
#endif

#ifdef strings_in_blocks_of_an_odd_size
// EXPECTED: blocks for strings have
mallard::fixed_string<LEGAL ? 112 : 100> line;
#endif

#ifdef order_of_reuse_that_is_none
// EXPECTED: reuse_order
using order = std::conditional_t<LEGAL, mallard::last_freed, mallard::last_freed::of_one_size>;
mallard::multipool<mallard::chunk_cache, order> pool;
#endif

#ifdef size_classes_that_wrap
// EXPECTED: these size classes do not fit together
/// The class of sizes that no block has does not fit into the 15 bits of a table.
struct classes_without_end : mallard::power_of_two_classes {
    static constexpr std::size_t index(std::size_t bytes, std::size_t alignment) noexcept {
        return bytes > (std::size_t{1} << 40) ? bytes
                                              : mallard::power_of_two_classes::index(bytes, alignment);
    }
};
using classes = std::conditional_t<LEGAL, mallard::power_of_two_classes, classes_without_end>;
mallard::multipool<mallard::chunk_cache, mallard::first_freed, classes> pool;
#endif

#ifdef size_classes_too_near_to_each_other
// EXPECTED: too many of them, or they are too near to each other
struct classes_of_16 {
    static constexpr std::size_t index(std::size_t bytes, std::size_t) noexcept {
        return bytes == 0 ? 0 : (bytes - 1) / 16;
    }
    static constexpr std::size_t bytes(std::size_t index) noexcept { return 16 * (index + 1); }
    static constexpr std::size_t within(std::size_t bytes) noexcept { return bytes / 16 - 1; }
};
using classes = std::conditional_t<LEGAL, mallard::power_of_two_classes, classes_of_16>;
mallard::multipool<mallard::chunk_cache, mallard::first_freed, classes> pool;
#endif
