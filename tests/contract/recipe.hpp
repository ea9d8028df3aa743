/// The components of subjects: allocators on a ledger, adaptors, bindings.
#pragma once

#include "contract/adaptors.hpp"
#include "model/subject.hpp"

#include <mallard/mallard.hpp>

#include <cstddef>
#include <memory>
#include <memory_resource>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>

namespace contract {

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

/// Blocks that hold the largest request of the suite.
template <class Reuse>
struct fixed_pool_reusing {
    explicit fixed_pool_reusing(equipment::ledger& source)
        : top(mallard::block_size{.bytes = 100 << 10, .alignment = 4096}, source) {}
    void release_below() noexcept {}
    mallard::fixed_pool<mallard::growing_arena<equipment::ledger>, Reuse> top;
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

// ---- bindings

template <class A>
class direct {
public:
    explicit direct(A& a) : a_(a) {}
    void* allocate(std::size_t bytes, std::size_t alignment) { return a_.allocate(bytes, alignment); }
    void deallocate(void* p, std::size_t bytes, std::size_t alignment) noexcept {
        a_.deallocate(p, bytes, alignment);
    }

private:
    A& a_;
};

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
    void deallocate(void* p, std::size_t bytes, std::size_t alignment) noexcept {
        base_->deallocate(p, bytes, alignment);
    }

private:
    mallard::resource<A&> resource_;
    mallard::inline_resource* base_ = &resource_;
};

// ---- the composed subject

template <class Recipe, template <class> class Adaptor, template <class> class Binding>
class subject final : public model::subject {
public:
    explicit subject(equipment::ledger& source)
        : recipe_(source), adaptor_(recipe_.top), binding_(adapted()) {}

    void* allocate(std::size_t bytes, std::size_t alignment) override {
        return binding_.allocate(bytes, alignment);
    }

    void deallocate(void* p, std::size_t bytes, std::size_t alignment) noexcept override {
        binding_.deallocate(p, bytes, alignment);
    }

    void release() noexcept override {
        if constexpr (mallard::local_allocator<adapted_type>) {
            adapted().release();
        }
        recipe_.release_below();
    }

    [[nodiscard]] bool can_release() const noexcept override {
        return mallard::local_allocator<adapted_type>;
    }

private:
    using top_type = decltype(Recipe::top);
    using adapted_type = std::remove_reference_t<decltype(Adaptor<top_type>::adapted)>;

    adapted_type& adapted() noexcept { return adaptor_.adapted; }

    Recipe recipe_;
    Adaptor<top_type> adaptor_;
    Binding<adapted_type> binding_;
};

} // namespace contract
