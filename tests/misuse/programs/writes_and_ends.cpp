// Writes outside the caller's blocks, and blocks that outlive their allocator or are leaked.
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
void write_and_free(A&& a, int byte) {
    void* const p = a.allocate(24, 8);
    overwrite(p, byte);
    a.deallocate(p, 24, 8);
}

template <class A>
void write_and_check(A&& a, int byte) {
    overwrite(a.allocate(24, 8), byte);
    mallard::check(a);
}

template <class A>
void free_write_and_check(A&& a, int byte) {
    void* const p = a.allocate(24, 8);
    a.deallocate(p, 24, 8);
    overwrite(p, byte);
    mallard::check(a);
}

template <class A>
void release_and_free(A&& a) {
    void* const p = a.allocate(24, 8);
    a.release();
    a.deallocate(p, 24, 8);
}

const std::string past = written("past the end", 24, ", found by deallocate()");
const std::string underrun = written("before the start", -1, ", found by check()");
const std::string freed_write = written("after free", 8, " after its deallocation, found by check()");
const std::string released =
    "use after release: " + block + " was ended by release() and is passed to deallocate()";

} // namespace

PROGRAM(overrun_monotonic, past) {
    write_and_free(mallard::monotonic<>(), 24);
}
PROGRAM(overrun_multipool, past) {
    write_and_free(mallard::multipool<>(), 24);
}
PROGRAM(overrun_concurrent_multipool, past) {
    write_and_free(mallard::concurrent_multipool<>(), 24);
}
PROGRAM(overrun_fixed_pool, past) {
    write_and_free(mallard::fixed_pool<>(), 24);
}
PROGRAM(overrun_small_object_pool, past) {
    write_and_free(mallard::small_object_pool<>(), 24);
}
PROGRAM(overrun_adaptive_pool, past) {
    write_and_free(mallard::adaptive_pool<>(), 24);
}
PROGRAM(overrun_heap, past) {
    write_and_free(mallard::heap<>(), 24);
}
PROGRAM(overrun_resource, past) {
    write_and_free(mallard::resource<mallard::multipool<>>(), 24);
}
PROGRAM(overrun_reported_by_release, written("past the end", 39, ", found by release()")) {
    mallard::multipool<> pool;
    overwrite(pool.allocate(24, 8), 39);
    pool.release();
}
PROGRAM(overrun_reported_by_the_destructor, written("past the end", 24, ", found by the destructor")) {
    mallard::monotonic<> arena;
    overwrite(arena.allocate(24, 8), 24);
}
PROGRAM(overrun_reported_by_rewind, written("past the end", 24, ", found by rewind()")) {
    mallard::monotonic<> arena;
    overwrite(arena.allocate(24, 8), 24);
    arena.rewind();
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

PROGRAM(underrun_monotonic, underrun) {
    write_and_check(mallard::monotonic<>(), -1);
}
PROGRAM(underrun_multipool, underrun) {
    write_and_check(mallard::multipool<>(), -1);
}
PROGRAM(underrun_heap, underrun) {
    write_and_check(mallard::heap<>(), -1);
}
PROGRAM(underrun_fixed_pool, underrun) {
    write_and_check(mallard::fixed_pool<>(), -1);
}

PROGRAM(write_after_free_heap, freed_write) {
    free_write_and_check(mallard::heap<>(), 8);
}
#ifdef __cpp_exceptions // without them an allocator that cannot retry has no quarantine
PROGRAM(write_after_free_multipool, freed_write) {
    free_write_and_check(mallard::multipool<>(), 8);
}
PROGRAM(write_after_free_adaptive_pool, freed_write) {
    free_write_and_check(mallard::adaptive_pool<>(), 8);
}
PROGRAM(write_after_free_concurrent_multipool, freed_write) {
    free_write_and_check(mallard::concurrent_multipool<>(), 8);
}
#endif

PROGRAM(use_after_release_monotonic, released) {
    release_and_free(mallard::monotonic<>());
}
PROGRAM(use_after_release_multipool, released) {
    release_and_free(mallard::multipool<>());
}
PROGRAM(use_after_release_fixed_pool, released) {
    release_and_free(mallard::fixed_pool<>());
}
PROGRAM(use_after_release_heap, released) {
    release_and_free(mallard::heap<>());
}
PROGRAM(use_after_release_resource, released) {
    release_and_free(mallard::resource<mallard::multipool<>>());
}
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
PROGRAM(use_after_rewind,
        "use after rewind: " + block + " was ended by rewind() and is passed to deallocate()") {
    mallard::monotonic<> arena;
    void* const p = arena.allocate(24, 8);
    arena.rewind();
    arena.deallocate(p, 24, 8);
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

PROGRAM(container_grown_in_a_checkpoint, ended_by_rollback(160)) {
    mallard::monotonic<> arena;
    std::vector<long, mallard::allocator<long, mallard::monotonic<>>> numbers(3, 0L, arena);
    grow_within_checkpoint(arena, numbers);
}
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
PROGRAM(use_after_rollback, "use after rollback: " + block +
                                " was ended by rollback() and is passed to deallocate()" +
                                within_checkpoint) {
    mallard::monotonic<> arena;
    const auto mark = arena.mark();
    void* const p = arena.allocate(24, 8);
    arena.rollback(mark);
    arena.deallocate(p, 24, 8);
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
PROGRAM(container_that_outlives_a_release, "use after release: block ADDRESS of 24 bytes at alignment 8 was "
                                           "ended by release() and is passed to deallocate()") {
    mallard::resource<mallard::multipool<>> binding;
    std::pmr::vector<long> numbers(3, 0, &binding); // frees and reads nothing before
    binding.mechanism().release();
}
PROGRAM(growth_after_free,
        "use after free: " + block + " was already deallocated and is passed to expand()") {
    mallard::heap<> heap;
    void* const p = heap.allocate(24, 8);
    heap.deallocate(p, 24, 8);
    heap.expand(p, {.least_bytes = 100, .preferred_bytes = 100});
}
PROGRAM(shrinking_after_free,
        "use after free: " + block + " was already deallocated and is passed to shrink()") {
    mallard::heap<> heap;
    void* const p = heap.allocate(24, 8);
    heap.deallocate(p, 24, 8);
    heap.shrink(p, 8);
}
PROGRAM(shrinking_to_more, "wrong size: " + block + " was passed to shrink() as a block of 25 bytes") {
    mallard::heap<> heap;
    heap.shrink(heap.allocate(24, 8), 25);
}
PROGRAM(size_asked_after_free,
        "use after free: " + block + " was already deallocated and is passed to usable_bytes()") {
    mallard::heap<> heap;
    void* const p = heap.allocate(24, 8);
    heap.deallocate(p);
    static_cast<void>(heap.usable_bytes(p));
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

PROGRAM(leak_expected_to_be_none, leaked("expect_all_freed()")) {
    mallard::multipool<> pool;
    leak_two(pool);
    mallard::expect_all_freed(pool);
}
PROGRAM(leak_at_the_end_heap, leaked("the destructor")) {
    mallard::heap<> heap;
    mallard::expect_all_freed_at_end(heap);
    leak_two(heap);
}
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
