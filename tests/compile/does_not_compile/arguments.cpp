// What constructors and functions of allocators do not take.

#include <mallard/mallard.hpp>

#if LEGAL
#define NUMBER
#else
#define NUMBER 1 << 20
#endif

#ifdef adaptive_pool_of_a_size
// EXPECTED: it takes a block_size
// LINES: 12
mallard::adaptive_pool<> pool{NUMBER};
#endif

#ifdef concurrent_multipool_of_a_size
// EXPECTED: sizes in multipool_options
// LINES: 12
mallard::concurrent_multipool<> pool{NUMBER};
#endif

#ifdef heap_of_a_size
// EXPECTED: sizes in heap_options
// LINES: 12
mallard::heap<> pool{NUMBER};
#endif

#ifdef multipool_of_a_size
// EXPECTED: sizes in multipool_options
// LINES: 12
mallard::multipool<> pool{NUMBER};
#endif

#ifdef small_object_pool_of_a_size
// EXPECTED: sizes stand in its options
// LINES: 12
mallard::small_object_pool<> pool{NUMBER};
#endif

#ifdef fixed_pool_of_a_number
// EXPECTED: it takes a block_size
// LINES: 12
#if LEGAL
mallard::fixed_pool<> pool(mallard::block_size{24, 8});
#else
mallard::fixed_pool<> pool(24, 8);
#endif
#endif

#ifdef buffer_in_bytes_and_their_number
// EXPECTED: it takes memory as one std::span<std::byte>
// LINES: 12
std::byte memory[100];
#if LEGAL
mallard::buffer buffer{memory};
#else
mallard::buffer buffer{memory, sizeof memory};
#endif
#endif

#ifdef monotonic_in_an_array_of_char
// EXPECTED: it takes a std::span<std::byte>
// LINES: 12
std::conditional_t<LEGAL, std::byte, char> memory[100];
mallard::monotonic<> arena{memory};
#endif

#ifdef monotonic_of_a_negative_size
// EXPECTED: mallard: a negative number is passed as a size
// LINES: 16
// CODE -O1 -Werror
void fill(mallard::monotonic<>& m, int bytes);

// Not in main(), where g++ expands few functions.
void make(int bytes) {
#if LEGAL
    mallard::monotonic<> m(bytes - 1);
#else
    mallard::monotonic<> m(-1);
#endif
    fill(m, bytes);
}
#endif

#ifdef monotonic_of_a_negative_size_in_braces
// EXPECTED: narrow
constexpr int bytes = LEGAL ? 16384 : -1;
mallard::monotonic<> arena{bytes};
#endif

#ifdef single_arena_of_a_negative_number
// EXPECTED: mallard: a negative number is passed as a size
// LINES: 16
// CODE -O1 -Werror
using pool = mallard::fixed_pool_for<int, mallard::single_arena<>>;

void fill(pool& p, int blocks);

void make(int blocks) {
#if LEGAL
    pool p(blocks - 1);
#else
    pool p(-1);
#endif
    fill(p, blocks);
}
#endif

#ifdef reserve_of_a_negative_size
// EXPECTED: mallard: a negative number is passed as a size
// LINES: 16
// CODE -O1 -Werror
void reserve(mallard::multipool<>& pool, [[maybe_unused]] int count) {
#if LEGAL
    pool.reserve(sizeof(int), alignof(int), count - 1);
#else
    pool.reserve(sizeof(int), alignof(int), -1);
#endif
}
#endif

#ifdef fixed_pool_over_an_upstream_of_another_type
// EXPECTED: its type names the arena: omit the <>
// LINES: 12
mallard::monotonic<> arena;
#if LEGAL
mallard::fixed_pool pool(arena);
#else
mallard::fixed_pool<> pool(arena);
#endif
#endif

#ifdef pool_over_an_upstream_of_another_type
// EXPECTED: its type names the upstream: omit the <>
// LINES: 12
mallard::monotonic<> arena;
#if LEGAL
mallard::multipool pool(arena);
#else
mallard::multipool<> pool(arena);
#endif
#endif

#ifdef upstream_that_is_none
// EXPECTED: upstream
std::conditional_t<LEGAL, mallard::new_delete, std::allocator<int>> source;
mallard::multipool<decltype(source)> pool(source);
#endif

#ifdef copy_an_allocator
// EXPECTED: deleted
mallard::multipool<> pool;
std::conditional_t<LEGAL, mallard::multipool<>&, mallard::multipool<>> other = pool;
#endif
