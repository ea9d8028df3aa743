// Every allocator reports a double free; other wrong deallocations with bindings. Those of each allocator itself are
// in misuse/reports.
#include "misuse/programs/program.hpp"

#include <mallard/mallard.hpp>

#include <cstddef>
#include <memory>
#include <memory_resource>
#include <utility>

namespace {

const std::string block = "block ADDRESS of 24 bytes at alignment 8";
const std::string twice = "double free: " + block + " was already deallocated";
const std::string passed_as = " was passed to deallocate() as a block ";
const std::string foreign = "foreign pointer: ADDRESS, passed to deallocate() as a block of ";
const std::string no_block = ", is not a block of this allocator";

template <class A>
void free_twice(A&& a) {
    void* const p = a.allocate(24, 8);
    a.deallocate(p, 24, 8);
    a.deallocate(p, 24, 8);
}

} // namespace

PROGRAM(double_free_monotonic, twice) {
    free_twice(mallard::monotonic<>());
}
PROGRAM(double_free_multipool, twice) {
    free_twice(mallard::multipool<>());
}
PROGRAM(double_free_concurrent_multipool, twice) {
    free_twice(mallard::concurrent_multipool<>());
}
PROGRAM(double_free_fixed_pool, twice) {
    free_twice(mallard::fixed_pool<>());
}
PROGRAM(double_free_small_object_pool, twice) {
    free_twice(mallard::small_object_pool<>());
}
PROGRAM(double_free_adaptive_pool, twice) {
    free_twice(mallard::adaptive_pool<>());
}
PROGRAM(double_free_heap, twice) {
    free_twice(mallard::heap<>());
}
PROGRAM(double_free_checked_buffer, twice) {
    alignas(16) std::byte room[1024];
    free_twice(mallard::checked<mallard::buffer>(std::span<std::byte>(room)));
}
PROGRAM(double_free_resource, twice) {
    free_twice(mallard::resource<mallard::multipool<>>());
}

PROGRAM(double_free_type_parameter,
        "double free: block ADDRESS of 12 bytes at alignment 4 was already deallocated") {
    mallard::multipool<> pool;
    mallard::allocator<int, mallard::multipool<>> binding(pool);
    int* const p = binding.allocate(3);
    binding.deallocate(p, 3);
    binding.deallocate(p, 3);
}

namespace {
struct nodes : mallard::per_thread<nodes, mallard::multipool<>> {};
struct texts : mallard::single_threaded<texts, mallard::multipool<>> {};
struct message : mallard::pooled<message> {
    long values[3] = {};
};
} // namespace

PROGRAM_WITHOUT_BLOCK(static_allocator_of_another_pool, foreign + "12 bytes at alignment 4" + no_block) {
    mallard::static_allocator<int, texts>().deallocate(mallard::static_allocator<int, nodes>().allocate(3),
                                                       3);
}

PROGRAM(double_delete_of_a_pooled_object, twice) {
    message* volatile m = new message; // so that the compiler does not warn
    message::operator delete(m, sizeof(message));
    message::operator delete(m, sizeof(message));
}

PROGRAM_WITHOUT_BLOCK(pooled_object_from_the_global_heap, foreign + "24 bytes at alignment 8" + no_block) {
    void* volatile p = ::operator new(sizeof(message));
    message::operator delete(p, sizeof(message));
}

PROGRAM(double_free_out_of_quarantine, twice) {
    mallard::multipool<> pool;
    mallard::set_quarantine(pool, mallard::no_quarantine);
    free_twice(std::move(pool)); // binds the reference, moves nothing
}

PROGRAM(burst_freed_twice, "double free: block ADDRESS of 24 bytes at alignment 8 was already deallocated") {
    mallard::multipool<> pool;
    mallard::block_chain blocks = mallard::allocate_many(pool, 24, 8, 2);
    void* const first = blocks.pop_front();
    pool.deallocate(first, 24, 8);
    blocks.pop_front();
    pool.deallocate(first, 24, 8);
}

PROGRAM_WITHOUT_BLOCK(null_pointer,
                      "foreign pointer: (nil), passed to deallocate() as a block of 24 bytes at alignment 8" +
                          no_block) {
    mallard::multipool<> pool;
    pool.deallocate(nullptr, 24, 8);
}

PROGRAM_WITHOUT_BLOCK(block_of_another_resource, foreign + "24 bytes at alignment 8" + no_block) {
    mallard::resource<mallard::multipool<>> binding;
    mallard::resource<mallard::multipool<>> owner;
    binding.deallocate(owner.allocate(24, 8), 24, 8);
}

PROGRAM(pointer_into_a_large_block,
        foreign +
            "16 bytes at alignment 8, lies 65536 bytes into block ADDRESS of 100000 bytes at alignment 64") {
    mallard::heap<> heap;
    heap.deallocate(static_cast<std::byte*>(heap.allocate(100000, 64)) + 65536, 16, 8);
}
PROGRAM(wrong_size_resource, "wrong size: " + block + passed_as + "of 25 bytes") {
    mallard::resource<mallard::monotonic<>> binding;
    std::pmr::memory_resource& base = binding;
    base.deallocate(base.allocate(24, 8), 25, 8);
}
PROGRAM(wrong_count_type_parameter,
        "wrong size: block ADDRESS of 12 bytes at alignment 4" + passed_as + "of 8 bytes") {
    mallard::adaptive_pool<> pool;
    mallard::allocator<int, mallard::adaptive_pool<>> binding(pool);
    binding.deallocate(binding.allocate(3), 2);
}
PROGRAM(wrong_alignment_resource, "wrong alignment: " + block + passed_as + "at alignment 16") {
    mallard::resource<mallard::small_object_pool<>> binding;
    binding.deallocate(binding.allocate(24, 8), 24);
}
PROGRAM(delete_by_a_base_without_virtual_destructor,
        "wrong alignment: block ADDRESS of 64 bytes at alignment 64" + passed_as + "at alignment 16") {
    mallard::concurrent_multipool<> pool;
    pool.deallocate(pool.allocate(64, 64), 64, 16);
}
