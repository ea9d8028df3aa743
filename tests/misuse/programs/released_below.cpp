// An upstream that is released, rewound or rolled back while an allocator still holds chunks of it.
#include "misuse/programs/program.hpp"

#include <mallard/mallard.hpp>

#include <cstddef>
#include <memory>
#include <string>

namespace {

std::string below(const std::string& operation, const char* reporter, std::size_t bytes = 24) {
    const std::string call = operation == "end" ? "the destructor" : operation + "()";
    return operation + " under a live allocator: block ADDRESS of " + std::to_string(bytes) +
           " bytes at alignment 8 lies in memory that the upstream took back by " + call +
           " while this allocator held it, found by " + reporter;
}

template <class Pool, class Arena>
void release_arena_first(Arena&& arena) {
    Pool pool(arena);
    void* const p = pool.allocate(24, 8);
    arena.release();
    pool.deallocate(p, 24, 8);
}

} // namespace

PROGRAM(arena_released_under_a_multipool, below("release", "deallocate()")) {
    release_arena_first<mallard::multipool<mallard::monotonic<>>>(mallard::monotonic<>());
}
PROGRAM(arena_released_under_a_fixed_pool, below("release", "deallocate()")) {
    release_arena_first<mallard::fixed_pool<mallard::growing_arena<mallard::monotonic<>>>>(
        mallard::monotonic<>());
}
PROGRAM(pool_released_under_an_arena, below("release", "deallocate()")) {
    release_arena_first<mallard::monotonic<mallard::multipool<>>>(mallard::multipool<>());
}
PROGRAM(arena_rewound_under_a_pool, below("rewind", "release()")) {
    mallard::monotonic<> arena;
    mallard::multipool pool(arena);
    static_cast<void>(pool.allocate(24, 8));
    arena.rewind();
    pool.release();
}
PROGRAM(arena_rolled_back_under_a_pool, below("rollback", "allocate()", 5000)) {
    mallard::monotonic<> arena;
    mallard::multipool pool(arena);
    static_cast<void>(pool.allocate(24, 8));
    {
        const mallard::checkpoint scratch(arena);
        static_cast<void>(pool.allocate(5000, 8));
    }
    static_cast<void>(pool.allocate(24, 8));
}
#ifdef __cpp_exceptions // without them an allocator that cannot retry has no quarantine
PROGRAM(arena_released_under_quarantined_blocks, below("release", "check()")) {
    mallard::monotonic<> arena;
    mallard::multipool pool(arena);
    pool.deallocate(pool.allocate(24, 8), 24, 8);
    arena.release();
    mallard::check(pool);
}
#endif
PROGRAM(arena_destroyed_before_its_pool, below("end", "the destructor")) {
    alignas(mallard::monotonic<>) static std::byte room[sizeof(mallard::monotonic<>)];
    auto* const arena = ::new (static_cast<void*>(room)) mallard::monotonic<>;
    mallard::multipool pool(*arena);
    static_cast<void>(pool.allocate(24, 8));
    std::destroy_at(arena);
}
