// Writes outside the caller's blocks, and blocks that outlive their allocator or are leaked, where misuse/reports does not
// test every allocator: with bindings, checkpoints, marks and adopted arenas.
#include "misuse/programs/program.hpp"

#include <mallard/mallard.hpp>

#include <cstddef>
#include <memory_resource>
#include <vector>

using misuse_programs::overwrite;

namespace {

const std::string block = "block ADDRESS of 24 bytes at alignment 8";

std::string written(const std::string& where, int byte, const std::string& suffix) {
    return "write " + where + ": byte " + std::to_string(byte) + " of " + block + " was overwritten" + suffix;
}

template <class A>
void free_write_and_check(A&& a, int byte) {
    void* const p = a.allocate(24, 8);
    a.deallocate(p, 24, 8);
    overwrite(p, byte);
    mallard::check(a);
}

const std::string freed_write = written("after free", 8, " after its deallocation, found by check()");
const std::string released =
    "use after release: " + block + " was ended by release() and is passed to deallocate()";

} // namespace

PROGRAM(overrun_resource, written("past the end", 24, ", found by deallocate()")) {
    mallard::resource<mallard::multipool<>> binding;
    void* const p = binding.allocate(24, 8);
    overwrite(p, 24);
    binding.deallocate(p, 24, 8);
}
PROGRAM(overrun_reported_by_a_checkpoint, written("past the end", 24, ", found by rollback()")) {
    mallard::monotonic<> arena;
    const mallard::checkpoint checkpoint(arena);
    overwrite(arena.allocate(24, 8), 24);
}
PROGRAM(overrun_reported_by_resize_last, written("past the end", 24, ", found by resize_last()")) {
    mallard::monotonic<> arena;
    void* const p = arena.allocate(24, 8);
    overwrite(p, 24);
    static_cast<void>(arena.resize_last(p, 24, 8));
}

PROGRAM(write_after_free_heap, freed_write) {
    free_write_and_check(mallard::heap<>(), 8);
}
#ifdef __cpp_exceptions // without them an allocator that cannot retry has no quarantine
PROGRAM(write_after_free_multipool, freed_write) {
    free_write_and_check(mallard::multipool<>(), 8);
}
#endif

PROGRAM(overrun_of_an_adopted_block, written("past the end", 24, ", found by release()")) {
    mallard::monotonic<> arena;
    mallard::monotonic<> other;
    overwrite(other.allocate(24, 8), 24);
    static_cast<void>(arena.adopt(other));
    other.release();
    arena.release();
}
PROGRAM(use_after_release_of_an_adopted_block, released) {
    mallard::monotonic<> arena;
    mallard::monotonic<> other;
    void* const p = other.allocate(24, 8);
    static_cast<void>(arena.adopt(other));
    other.release();
    arena.release();
    arena.deallocate(p, 24, 8);
}
PROGRAM_WITHOUT_BLOCK(adopted_block_freed_by_its_former_arena,
                      "foreign pointer: ADDRESS, passed to deallocate() as a block of 24 bytes at alignment "
                      "8, is not a block of this "
                      "allocator") {
    mallard::monotonic<> arena;
    mallard::monotonic<> other;
    void* const p = other.allocate(24, 8);
    static_cast<void>(arena.adopt(other));
    other.deallocate(p, 24, 8);
}
PROGRAM_WITHOUT_BLOCK(mark_of_an_adopted_arena,
                      "stale mark: rollback() received a mark from before a call of adopt()") {
    mallard::checked<mallard::monotonic<>> arena;
    mallard::checked<mallard::monotonic<>> other;
    static_cast<void>(other.allocate(24, 8));
    const auto mark = other.mark();
    static_cast<void>(arena.adopt(other));
    other.rollback(mark);
}
namespace {
const std::string within_checkpoint = "; what is older than a checkpoint must not grow within it";

template <class Container>
void grow_within_checkpoint(mallard::monotonic<>& arena, Container& container) {
    const mallard::checkpoint checkpoint(arena);
    container.resize(20);
}

std::string ended_by_rollback(int bytes) {
    return "use after rollback: block ADDRESS of " + std::to_string(bytes) +
           " bytes at alignment 8 was ended by rollback() and is passed to deallocate()" + within_checkpoint;
}
} // namespace

PROGRAM(container_grown_in_a_checkpoint_and_overwritten, ended_by_rollback(160)) {
    mallard::monotonic<> arena;
    std::vector<long, mallard::allocator<long, mallard::monotonic<>>> numbers(3, 0L, arena);
    grow_within_checkpoint(arena, numbers);
    static_cast<void>(arena.allocate(24, 8));
}
PROGRAM(pmr_container_grown_in_a_checkpoint_and_overwritten, ended_by_rollback(160)) {
    mallard::resource<mallard::monotonic<>> memory;
    std::pmr::vector<long> numbers(3, 0L, &memory);
    grow_within_checkpoint(memory.mechanism(), numbers);
    const std::pmr::vector<long> others(7, 1L, &memory);
    numbers.clear();
    numbers.shrink_to_fit();
}
PROGRAM(inline_container_grown_in_a_checkpoint_and_overwritten, ended_by_rollback(160)) {
    mallard::resource<mallard::monotonic<>> memory;
    std::vector<long, mallard::inline_allocator<long>> numbers(3, 0L, &memory);
    grow_within_checkpoint(memory.mechanism(), numbers);
    static_cast<void>(memory.allocate(200, 8));
    numbers.clear();
    numbers.shrink_to_fit();
}
PROGRAM(container_grown_in_a_checkpoint_and_overwritten_by_its_size,
        "double free: block ADDRESS of 160 bytes at alignment 8 was already deallocated, perhaps as an "
        "earlier block at "
        "this address, which was ended by rollback()") {
    mallard::monotonic<> arena;
    std::vector<long, mallard::allocator<long, mallard::monotonic<>>> numbers(3, 0L, arena);
    grow_within_checkpoint(arena, numbers);
    std::vector<long, mallard::allocator<long, mallard::monotonic<>>> others(20, 0L, arena);
}
PROGRAM_WITHOUT_BLOCK(mark_of_another_allocator,
                      "foreign mark: rollback() received a mark of another allocator") {
    mallard::monotonic<> arena;
    const mallard::monotonic<> foreign;
    arena.rollback(foreign.mark());
}
PROGRAM_WITHOUT_BLOCK(mark_older_than_a_release,
                      "stale mark: rollback() received a mark from before a call of release()") {
    mallard::monotonic<> arena;
    const auto mark = arena.mark();
    arena.release();
    arena.rollback(mark);
}
PROGRAM_WITHOUT_BLOCK(mark_older_than_a_rewind,
                      "stale mark: rollback() received a mark from before a call of rewind()") {
    mallard::monotonic<> arena;
    const auto mark = arena.mark();
    arena.rewind();
    arena.rollback(mark);
}
PROGRAM_WITHOUT_BLOCK(
    mark_older_than_a_rollback_to_an_earlier_mark,
    "stale mark: rollback() received a mark from before a call of rollback() with an earlier mark") {
    mallard::monotonic<> arena;
    const auto outer = arena.mark();
    static_cast<void>(arena.allocate(100, 8));
    const auto inner = arena.mark();
    arena.rollback(outer);
    static_cast<void>(arena.allocate(500, 8));
    arena.rollback(inner);
}
PROGRAM_WITHOUT_BLOCK(release_within_a_checkpoint,
                      "stale mark: rollback() received a mark from before a call of release()") {
    mallard::monotonic<> arena;
    const mallard::checkpoint checkpoint(arena);
    arena.release();
}
PROGRAM(resize_after_free,
        "use after free: " + block + " was already deallocated and is passed to resize_last()") {
    mallard::monotonic<> arena;
    void* const p = arena.allocate(24, 8);
    arena.deallocate(p, 24, 8);
    static_cast<void>(arena.resize_last(p, 24, 8));
}

namespace {
std::string leaked(const char* reporter) {
    return "never freed: " + block + ", the first of 2 such blocks with 64 bytes in all, found by " +
           reporter;
}
template <class A>
void leak_two(A& a) {
    static_cast<void>(a.allocate(24, 8));
    static_cast<void>(a.allocate(40, 8));
}
} // namespace

PROGRAM(leak_at_the_end_resource, leaked("release()")) {
    mallard::resource<mallard::multipool<>> binding;
    mallard::expect_all_freed_at_end(binding);
    leak_two(binding);
    binding.mechanism().release();
}
PROGRAM(leak_at_a_rewind, leaked("rewind()")) {
    mallard::monotonic<> arena;
    mallard::expect_all_freed_at_end(arena);
    leak_two(arena);
    arena.rewind();
}
