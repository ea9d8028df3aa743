// Calls of allocators that are not there, or that another thread is in.
#include "misuse/programs/program.hpp"

#include <mallard/mallard.hpp>

#include <cstddef>
#include <map>
#include <memory>
#include <memory_resource>
#include <new>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

std::string destroyed(const char* call) {
    return std::string("destroyed allocator: ") + call + " was called after the allocator's destructor";
}

std::string no_allocator(const char* call) {
    return std::string("no allocator: ") + call +
           " was called of memory that holds no checked allocator: it is not constructed yet, overwritten, "
           "or made by "
           "a part of the program that was compiled without checks";
}

const char* const null_allocator = "null allocator: a container is bound to a null pointer";

/// A place that stays readable when the object in it is destroyed.
template <class T>
struct place_of {
    alignas(T) std::byte room[sizeof(T)]{};

    template <class... Args>
    T& make(Args&&... args) {
        return *::new (static_cast<void*>(room)) T(std::forward<Args>(args)...);
    }
};

template <class A>
void destroy_before_container() {
    static place_of<A> place;
    A& a = place.make();
    std::vector<long, mallard::allocator<long, A>> numbers(3, 0L, a);
    std::destroy_at(&a);
}

template <class A>
void allocate_after_destructor() {
    static place_of<A> place;
    A& a = place.make();
    std::destroy_at(&a);
    static_cast<void>(a.allocate(24, 8));
}

/// While a pool is in a call it asks this for a chunk.
struct chunks_while_another_thread {
    void (*act)(void* pool) = nullptr;
    void* pool = nullptr;

    void* allocate(std::size_t bytes, std::size_t alignment) {
        if (act != nullptr) {
            std::thread([this] { act(pool); }).join();
        }
        return ::operator new(bytes, std::align_val_t(alignment));
    }
    void deallocate(void* p, std::size_t, std::size_t alignment) noexcept {
        ::operator delete(p, std::align_val_t(alignment));
    }
};

std::string concurrent(const char* call, const char* other) {
    return std::string("concurrent use: ") + call + " was called while another thread was in " + other +
           " of the same allocator, which serves one thread at a time";
}

template <class Pool>
void use_by_two_threads(void (*act)(void* pool)) {
    chunks_while_another_thread source;
    Pool pool(source);
    source.pool = &pool;
    source.act = act;
    static_cast<void>(pool.allocate(24, 8));
}

} // namespace

PROGRAM_WITHOUT_BLOCK(destroyed_monotonic_before_container, destroyed("deallocate()")) {
    destroy_before_container<mallard::monotonic<>>();
}
PROGRAM_WITHOUT_BLOCK(destroyed_concurrent_multipool_before_container, destroyed("deallocate()")) {
    destroy_before_container<mallard::concurrent_multipool<>>();
}
PROGRAM_WITHOUT_BLOCK(destroyed_counted_pool_before_container, destroyed("deallocate()")) {
    destroy_before_container<mallard::counted<mallard::multipool<>>>();
}
PROGRAM_WITHOUT_BLOCK(destroyed_multipool_allocates, destroyed("allocate()")) {
    allocate_after_destructor<mallard::multipool<>>();
}
PROGRAM_WITHOUT_BLOCK(destroyed_fixed_pool_allocates, destroyed("allocate()")) {
    allocate_after_destructor<mallard::fixed_pool<>>();
}
PROGRAM_WITHOUT_BLOCK(destroyed_resource_before_pmr_container, destroyed("deallocate()")) {
    static place_of<mallard::resource<mallard::multipool<>>> place;
    auto& memory = place.make();
    std::pmr::vector<long> numbers(3, 0L, &memory);
    std::destroy_at(&memory);
}
PROGRAM_WITHOUT_BLOCK(destroyed_resource_before_inline_container, destroyed("deallocate()")) {
    static place_of<mallard::resource<mallard::monotonic<>>> place;
    auto& memory = place.make();
    std::vector<long, mallard::inline_allocator<long>> numbers(3, 0L,
                                                               &memory); // reads no element when it ends
    std::destroy_at(&memory);
}
PROGRAM_WITHOUT_BLOCK(destroyed_resource_of_a_reference_allocates, destroyed("allocate()")) {
    mallard::multipool<> pool;
    static place_of<mallard::resource<mallard::multipool<>&>> place;
    auto& memory = place.make(pool);
    std::pmr::map<int, int> numbers(&memory);
    std::destroy_at(&memory);
    numbers[1] = 1;
}
PROGRAM_WITHOUT_BLOCK(destroyed_heap_before_expandable_container, destroyed("deallocate()")) {
    static place_of<mallard::heap<>> place;
    mallard::heap<>& heap = place.make();
    mallard::expandable_allocator<int, mallard::heap<>> binding(heap);
    int* const p = binding.allocate(3);
    std::destroy_at(&heap);
    binding.deallocate(p, 3);
}
PROGRAM_WITHOUT_BLOCK(allocator_not_yet_constructed, no_allocator("allocate()")) {
    static place_of<mallard::multipool<>> place;
    auto& pool = *reinterpret_cast<mallard::multipool<>*>(place.room);
    static_cast<void>(pool.allocate(24, 8));
}

PROGRAM_WITHOUT_BLOCK(null_mechanism_of_an_allocator, null_allocator) {
    mallard::multipool<>* volatile nobody = nullptr;
    const mallard::allocator<int, mallard::multipool<>> binding(nobody);
}
#ifndef NDEBUG
BREAKS_CONTRACT(null_upstream_reference, "upstream_ref.hpp", "calls_ != nullptr") {
    mallard::multipool pool{mallard::upstream_ref()};
    static_cast<void>(pool.allocate(24, 8));
}
#endif

#if MALLARD_THREADS
PROGRAM_WITHOUT_BLOCK(two_threads_in_a_multipool, concurrent("allocate()", "allocate()")) {
    using pool_type = mallard::multipool<chunks_while_another_thread>;
    use_by_two_threads<pool_type>(
        [](void* pool) { static_cast<void>(static_cast<pool_type*>(pool)->allocate(24, 8)); });
}
PROGRAM_WITHOUT_BLOCK(two_threads_in_a_monotonic, concurrent("release()", "allocate()")) {
    using pool_type = mallard::monotonic<chunks_while_another_thread>;
    use_by_two_threads<pool_type>([](void* pool) { static_cast<pool_type*>(pool)->release(); });
}
PROGRAM_WITHOUT_BLOCK(two_threads_in_a_heap, concurrent("check()", "allocate()")) {
    using pool_type = mallard::heap<chunks_while_another_thread>;
    use_by_two_threads<pool_type>([](void* pool) { mallard::check(*static_cast<pool_type*>(pool)); });
}
PROGRAM_WITHOUT_BLOCK(two_threads_in_a_resource, concurrent("allocate()", "allocate()")) {
    using pool_type = mallard::resource<mallard::multipool<chunks_while_another_thread>>;
    use_by_two_threads<pool_type>([](void* pool) {
        static_cast<void>(
            static_cast<std::pmr::memory_resource*>(static_cast<pool_type*>(pool))->allocate(24, 8));
    });
}
#endif
