/// The components of subjects: allocators on a ledger, bindings, adaptors. A subject is one of each (bound_subject.hpp).
#pragma once

#include "equipment/ledger.hpp"

#include <mallard/mallard.hpp>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <memory_resource>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>

namespace model {

// ---- allocators: `top` is tested, release_below() releases the mechanisms below it

struct monotonic {
    explicit monotonic(equipment::ledger& source) : top(source) {}
    void release_below() noexcept {}
    mallard::monotonic<equipment::ledger> top;
};

struct monotonic_with_buffer {
    explicit monotonic_with_buffer(equipment::ledger& source)
        : top(std::span(buffer).subspan(3, 1021), source) {}
    void release_below() noexcept {}
    std::byte buffer[1024];
    mallard::monotonic<equipment::ledger> top;
};

template <class Reuse>
struct multipool_reusing {
    explicit multipool_reusing(equipment::ledger& source) : top(source) {}
    void release_below() noexcept {}
    mallard::multipool<equipment::ledger, Reuse> top;
};

struct fast_fit {
    explicit fast_fit(equipment::ledger& source) : top(source) {}
    void release_below() noexcept {}
    mallard::fast_fit<equipment::ledger> top;
};

struct shrinking_multipool {
    explicit shrinking_multipool(equipment::ledger& source) : top(source) {}
    void release_below() noexcept {}
    mallard::shrinking_multipool<equipment::ledger> top;
};

/// Blocks that hold the largest request of the suite.
template <class Reuse>
struct fixed_pool_reusing {
    explicit fixed_pool_reusing(equipment::ledger& source)
        : top(mallard::block_size{.bytes = 100 << 10, .alignment = 4096}, source) {}
    void release_below() noexcept {}
    mallard::fixed_pool<mallard::growing_arena<equipment::ledger>, Reuse> top;
};

/// Blocks of the size of the first request.
struct fixed_pool {
    explicit fixed_pool(equipment::ledger& source) : top(source) {}
    void release_below() noexcept {}
    mallard::fixed_pool<mallard::growing_arena<equipment::ledger>, mallard::last_freed> top;
};

template <class Reuse>
struct fixed_pool_of_a_size {
    explicit fixed_pool_of_a_size(equipment::ledger& source)
        : top(mallard::block_size{.bytes = 1024, .alignment = 256}, source) {}
    void release_below() noexcept {}
    mallard::fixed_pool<mallard::growing_arena<equipment::ledger>, Reuse> top;
};

struct fixed_pool_in_one_chunk {
    explicit fixed_pool_in_one_chunk(equipment::ledger& source)
        : top(mallard::block_size{.bytes = 1024, .alignment = 256}, std::size_t{5000}, source) {}
    void release_below() noexcept {}
    mallard::fixed_pool<mallard::single_arena<equipment::ledger>> top;
};

struct fixed_pool_in_buffer {
    explicit fixed_pool_in_buffer(equipment::ledger&)
        : top(mallard::block_size{.bytes = 1024, .alignment = 256}, std::span<std::byte>(memory)) {}
    void release_below() noexcept {}
    alignas(256) std::byte memory[2000 * 1024];
    mallard::fixed_pool<mallard::buffer_arena> top;
};

/// Forwards most requests to the upstream.
struct multipool_of_small_blocks {
    explicit multipool_of_small_blocks(equipment::ledger& source)
        : top(source, {.largest_pooled_bytes = 72, .growth = {64, 1024}}) {}
    void release_below() noexcept {}
    mallard::multipool<equipment::ledger> top;
};

struct multipool_over_monotonic {
    explicit multipool_over_monotonic(equipment::ledger& source) : below(source), top(below) {}
    void release_below() noexcept { below.release(); }
    mallard::monotonic<equipment::ledger> below;
    mallard::multipool<mallard::monotonic<equipment::ledger>> top;
};

struct monotonic_over_multipool {
    explicit monotonic_over_multipool(equipment::ledger& source) : below(source), top(below) {}
    void release_below() noexcept { below.release(); }
    mallard::multipool<equipment::ledger> below;
    mallard::monotonic<mallard::multipool<equipment::ledger>> top;
};

struct synchronized_monotonic {
    explicit synchronized_monotonic(equipment::ledger& source) : top(source) {}
    void release_below() noexcept {}
    mallard::synchronized<mallard::monotonic<equipment::ledger>> top;
};

struct synchronized_multipool {
    explicit synchronized_multipool(equipment::ledger& source) : top(source) {}
    void release_below() noexcept {}
    mallard::synchronized<mallard::multipool<equipment::ledger>> top;
};

/// Small chunks, which requests find full.
struct concurrent_monotonic {
    explicit concurrent_monotonic(equipment::ledger& source)
        : top(source, {.growth = {.first_chunk_bytes = 256, .largest_chunk_bytes = 4096}}) {}
    void release_below() noexcept {}
    mallard::concurrent_monotonic<equipment::ledger> top;
};

struct concurrent_multipool {
    explicit concurrent_multipool(equipment::ledger& source) : top(source) {}
    void release_below() noexcept {}
    mallard::concurrent_multipool<equipment::ledger> top;
};

/// Small chunks, so that batches span several chunks and some sizes have no magazine.
struct concurrent_multipool_of_small_blocks {
    explicit concurrent_multipool_of_small_blocks(equipment::ledger& source)
        : top(source, {.largest_pooled_bytes = 72, .growth = {64, 1024}}) {}
    void release_below() noexcept {}
    mallard::concurrent_multipool<equipment::ledger> top;
};

/// Small blocks, so that chunks come and go.
struct small_object_pool {
    explicit small_object_pool(equipment::ledger& source)
        : top(source, {.slab_bytes = 4096, .first_chunk_bytes = 4096, .largest_chunk_bytes = 16384}) {}
    void release_below() noexcept {}
    mallard::small_object_pool<equipment::ledger> top;
};

template <mallard::slab_shape Shape>
struct adaptive_pool {
    explicit adaptive_pool(equipment::ledger& source)
        : top(source,
              {.nodes_a_slab = Shape == mallard::slab_shape::divided ? 8U : 256U, .overhead_percent = 20}) {}
    void release_below() noexcept {}
    mallard::adaptive_pool<equipment::ledger, Shape> top;
};

struct adaptive_pool_of_a_size {
    explicit adaptive_pool_of_a_size(equipment::ledger& source)
        : top(mallard::block_size{.bytes = 300, .alignment = 64}, source,
              {.nodes_a_slab = 8, .overhead_percent = 20}) {}
    void release_below() noexcept {}
    mallard::adaptive_pool<equipment::ledger> top;
};

/// Small blocks from a pool, large ones from a heap.
struct segregate {
    explicit segregate(equipment::ledger& source) : top(source, source) {}
    void release_below() noexcept {}
    mallard::segregate<256, mallard::multipool<equipment::ledger>, mallard::heap<equipment::ledger>> top;
};

/// A pool that is full soon and refuses large blocks.
struct fallback {
    explicit fallback(equipment::ledger& source)
        : top(std::piecewise_construct,
              std::forward_as_tuple(mallard::block_size{.bytes = 64}, std::size_t{20}, source),
              std::forward_as_tuple(source)) {}
    void release_below() noexcept {}
    mallard::fallback<mallard::fixed_pool<mallard::single_arena<equipment::ledger>>,
                      mallard::multipool<equipment::ledger>>
        top;
};

/// A pool whose upstream is chosen at run time.
struct multipool_over_reference {
    explicit multipool_over_reference(equipment::ledger& source) : below(source), top(below) {}
    void release_below() noexcept {}
    mallard::upstream_ref below;
    mallard::multipool<mallard::upstream_ref> top;
};

struct plain_heap {
    explicit plain_heap(equipment::ledger& source) : top(source) {}
    void release_below() noexcept {}
    mallard::heap<equipment::ledger> top;
};

/// Small chunks, which are often returned, and many requests that exceed a chunk.
struct heap_of_small_chunks {
    explicit heap_of_small_chunks(equipment::ledger& source)
        : top(source, {.growth = {.first_chunk_bytes = 256, .largest_chunk_bytes = 2048, .factor = 2}}) {}
    void release_below() noexcept {}
    mallard::heap<equipment::ledger> top;
};

struct heap_over_multipool {
    explicit heap_over_multipool(equipment::ledger& source) : below(source), top(below) {}
    void release_below() noexcept { below.release(); }
    mallard::multipool<equipment::ledger> below;
    mallard::heap<mallard::multipool<equipment::ledger>> top;
};

struct synchronized_heap {
    explicit synchronized_heap(equipment::ledger& source) : top(source) {}
    void release_below() noexcept {}
    mallard::synchronized<mallard::heap<equipment::ledger>> top;
};

// ---- upstreams

template <class Upstream>
struct system_upstream {
    explicit system_upstream(equipment::ledger&) {}
    void release_below() noexcept {}
    Upstream top;
};

struct named_pages {
    explicit named_pages(equipment::ledger&) {}
    void release_below() noexcept {}
    mallard::protected_pages top{"the pages of a model"};
};

struct buffer_upstream {
    static constexpr std::size_t bytes = std::size_t{16} << 20;

    explicit buffer_upstream(equipment::ledger&) {}
    void release_below() noexcept {}
    std::unique_ptr<std::byte[]> memory{new std::byte[bytes]};
    mallard::buffer top{{memory.get(), bytes}};
};

template <class Upstream>
struct heap_over_system {
    explicit heap_over_system(equipment::ledger&) {}
    void release_below() noexcept {}
    Upstream below{};
    mallard::heap<Upstream> top{below};
};

struct heap_over_buffer {
    explicit heap_over_buffer(equipment::ledger& source) : below(source), top(below.top) {}
    void release_below() noexcept {}
    buffer_upstream below;
    mallard::heap<mallard::buffer> top;
};

struct heap_in_region {
    static constexpr std::size_t bytes = std::size_t{16} << 20;

    explicit heap_in_region(equipment::ledger&) {}
    void release_below() noexcept {}
    std::unique_ptr<std::byte[]> memory{new std::byte[bytes]};
    mallard::region_heap& top = mallard::region_heap::create_in({memory.get(), bytes});
};

/// A part of a region, which grows into the remaining part and shrinks again.
struct heap_in_growing_region {
    static constexpr std::size_t first_bytes = std::size_t{64} << 10;
    static constexpr std::size_t most_bytes = std::size_t{4} << 20;

    explicit heap_in_growing_region(equipment::ledger&) {}
    void release_below() noexcept {}

    void change_memory(std::size_t choice) noexcept {
        if (choice % 4 == 0) {
            top.shrink_to_fit();
            std::memset(memory.get() + top.region_bytes(), 0xDD, most_bytes - top.region_bytes());
        } else {
            const std::size_t wanted = choice % 4 == 1 ? choice : choice << 10;
            top.grow(std::min(wanted, most_bytes - top.region_bytes()));
        }
    }

    std::unique_ptr<std::byte[]> memory{new std::byte[most_bytes]};
    mallard::region_heap& top = mallard::region_heap::create_in({memory.get(), first_bytes});
};

// ---- bindings

/// Typed allocators only allocate arrays of objects, so a size is rounded up to a multiple of the alignment. Each
/// alignment is a type, so only every 16th power is instantiated and requests use the next stricter alignment.
/// `Binding` supplies the allocator of bytes from which the others are rebound.
template <class Binding>
class for_objects {
public:
    void* allocate(std::size_t bytes, std::size_t alignment) {
        void* p = nullptr;
        for_object(alignment,
                   [&]<class T>(std::type_identity<T>) { p = bound<T>().allocate(objects<T>(bytes)); });
        return p;
    }

    void* try_allocate(std::size_t bytes, std::size_t alignment) noexcept
        requires requires(const Binding& b) { b.of_bytes().try_allocate(1); }
    {
        void* p = nullptr;
        for_object(alignment,
                   [&]<class T>(std::type_identity<T>) { p = bound<T>().try_allocate(objects<T>(bytes)); });
        return p;
    }

    void deallocate(void* p, std::size_t bytes, std::size_t alignment) noexcept {
        for_object(alignment, [&]<class T>(std::type_identity<T>) {
            bound<T>().deallocate(static_cast<T*>(p), objects<T>(bytes));
        });
    }

private:
    template <std::size_t Alignment>
    struct alignas(Alignment) object {
        std::byte bytes[Alignment];
    };

    template <class T>
    static std::size_t objects(std::size_t bytes) {
        return bytes / sizeof(T) + (bytes % sizeof(T) != 0 ? 1 : 0);
    }

    template <std::size_t Alignment = 1, class Do>
    static void for_object(std::size_t alignment, Do act) {
        if (alignment <= Alignment) {
            act(std::type_identity<object<Alignment>>());
        } else if constexpr (Alignment < 4096) {
            for_object<16 * Alignment>(alignment, act);
        }
    }

    template <class T>
    auto bound() const {
        auto of_bytes = static_cast<const Binding&>(*this).of_bytes();
        return typename std::allocator_traits<decltype(of_bytes)>::template rebind_alloc<T>(of_bytes);
    }
};

template <class A>
class type_parameter : public for_objects<type_parameter<A>> {
public:
    explicit type_parameter(A& a) : a_(a) {}
    [[nodiscard]] mallard::allocator<std::byte, A> of_bytes() const { return a_; }

private:
    A& a_;
};

/// The binding for containers of Boost, by its single requests.
template <class A>
class expandable : public for_objects<expandable<A>> {
public:
    explicit expandable(A& a) : a_(a) {}
    [[nodiscard]] mallard::expandable_allocator<std::byte, A> of_bytes() const { return a_; }

private:
    A& a_;
};

/// Names the only allocator under test.
template <class A>
struct under_test {
    static inline A* instance = nullptr;
    static A& pool() noexcept { return *instance; }
};

template <class A>
class tag : public for_objects<tag<A>> {
public:
    explicit tag(A& a) { under_test<A>::instance = &a; }
    [[nodiscard]] mallard::static_allocator<std::byte, under_test<A>> of_bytes() const { return {}; }
};

template <class A>
class abstract_base {
public:
    explicit abstract_base(A& a) : resource_(a) {}
    void* allocate(std::size_t bytes, std::size_t alignment) { return base_->allocate(bytes, alignment); }
    void* try_allocate(std::size_t bytes, std::size_t alignment) noexcept {
        return resource_.try_allocate(bytes, alignment);
    }
    void deallocate(void* p, std::size_t bytes, std::size_t alignment) noexcept {
        base_->deallocate(p, bytes, alignment);
    }

private:
    mallard::resource<A&> resource_;
    std::pmr::memory_resource* base_ = &resource_;
};

template <class A>
class inline_base {
public:
    explicit inline_base(A& a) : resource_(a) {}
    void* allocate(std::size_t bytes, std::size_t alignment) { return base_->allocate(bytes, alignment); }
    void* try_allocate(std::size_t bytes, std::size_t alignment) noexcept {
        return base_->try_allocate(bytes, alignment);
    }
    void deallocate(void* p, std::size_t bytes, std::size_t alignment) noexcept {
        base_->deallocate(p, bytes, alignment);
    }

private:
    mallard::resource<A&> resource_;
    mallard::inline_resource* base_ = &resource_;
};

// ---- adaptors, around an allocator that lives elsewhere

template <class A>
struct none {
    explicit none(A& a) : adapted(a) {}
    A& adapted;
};

template <class A>
struct counted {
    explicit counted(A& a) : adapted(a) {}
    mallard::counted<A&> adapted;
};

template <class A>
struct limited {
    explicit limited(A& a) : adapted(std::size_t{1} << 30, a) {}
    mallard::limited<A&> adapted;
};

template <class A>
struct failing {
    explicit failing(A& a) : adapted(mallard::failure_plan{.at = 0}, a) {}
    mallard::failing<A&> adapted;
};

/// Its function makes no room.
template <class A>
struct retrying {
    explicit retrying(A& a) : adapted([](std::size_t, std::size_t) noexcept { return false; }, a) {}
    mallard::retrying<A&> adapted;
};

template <class A>
struct sealed {
    explicit sealed(A& a) : adapted(a) {}
    mallard::sealed<A&> adapted;
};

template <class A>
struct recorded {
    explicit recorded(A& a) : adapted(a) {}
    mallard::recorded<A&> adapted;
};

template <class A>
struct checked {
    explicit checked(A& a) : adapted(a) {}
    mallard::checked<A&> adapted;
};

/// Has a budget that random operations exceed now and then.
template <class A>
struct limited_to_little {
    explicit limited_to_little(A& a) : adapted(std::size_t{1} << 20, a) {}
    mallard::limited<A&> adapted;
};

} // namespace model
