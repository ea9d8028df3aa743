#include "contract/every_allocator.hpp"

#include <mallard/mallard.hpp>

#include <ostream>
#include <span>
#include <utility>

namespace contract {

namespace {

using mallard::block_size;
using upstream_type = std::pmr::memory_resource;

template <class A>
class adapter final : public allocator_interface {
public:
    template <class... Args>
    explicit adapter(Args&&... args) : a_(std::forward<Args>(args)...) {}

    void* allocate(std::size_t bytes, std::size_t alignment) override {
        return a_.allocate(bytes, alignment);
    }

    void deallocate(void* p, std::size_t bytes, std::size_t alignment) noexcept override {
        a_.deallocate(p, bytes, alignment);
    }

    mallard::block_chain allocate_many(std::size_t bytes, std::size_t alignment, std::size_t count) override {
        return mallard::allocate_many(a_, bytes, alignment, count);
    }

    void deallocate_many(mallard::block_chain&& blocks, std::size_t bytes,
                         std::size_t alignment) noexcept override {
        mallard::deallocate_many(a_, std::move(blocks), bytes, alignment);
    }

    void* allocate_at_least(std::size_t bytes, std::size_t alignment) override {
        if constexpr (mallard::expandable<A>) {
            return a_.allocate_at_least(bytes, alignment).p;
        } else {
            return a_.allocate(bytes, alignment);
        }
    }

    void trim() noexcept override {
        if constexpr (requires { a_.trim(); }) {
            a_.trim();
        }
    }

    void rewind() noexcept override {
        if constexpr (mallard::rewindable<A>) {
            a_.rewind();
        } else {
            a_.release();
        }
    }

    void release() noexcept override { a_.release(); }

    mallard::allocator_stats stats() const noexcept override { return find_stats(a_); }

private:
    template <class Of>
    static mallard::allocator_stats find_stats(const Of& a) noexcept {
        if constexpr (requires { a.stats(); }) {
            return a.stats();
        } else {
            return find_stats(a.mechanism());
        }
    }

    A a_;
};

template <class A>
std::unique_ptr<allocator_interface> make(upstream_type& source) {
    return std::make_unique<adapter<A>>(source);
}

template <class Reuse>
using multipool_reusing = mallard::multipool<upstream_type, Reuse>;
using multipool = mallard::multipool<upstream_type>;
template <class Reuse>
using growing_pool = mallard::fixed_pool<mallard::growing_arena<upstream_type>, Reuse>;
using single_pool = mallard::fixed_pool<mallard::single_arena<upstream_type>>;

template <mallard::slab_shape Shape>
class adaptive_pool_of_few : public mallard::adaptive_pool<upstream_type, Shape> {
public:
    template <class... Args>
    explicit adaptive_pool_of_few(Args&&... args)
        : mallard::adaptive_pool<upstream_type, Shape>(std::forward<Args>(args)...,
                                                       {.nodes_a_slab = 8, .overhead_percent = 20}) {}
};
using divided_adaptive_pool = adaptive_pool_of_few<mallard::slab_shape::divided>;
using aligned_adaptive_pool = adaptive_pool_of_few<mallard::slab_shape::undivided>;

struct with_buffer {
    std::byte buffer[1000];
};

class monotonic_with_buffer : with_buffer, public mallard::monotonic<upstream_type> {
public:
    explicit monotonic_with_buffer(upstream_type& source)
        : mallard::monotonic<upstream_type>(std::span(buffer).subspan(3, 900), source) {}
};

struct below {
    explicit below(upstream_type& source) : arena(source) {}
    mallard::monotonic<upstream_type> arena;
};

class multipool_over_monotonic : below, public mallard::multipool<mallard::monotonic<upstream_type>> {
public:
    explicit multipool_over_monotonic(upstream_type& source)
        : below(source), mallard::multipool<mallard::monotonic<upstream_type>>(arena) {}
    void release() noexcept {
        mallard::multipool<mallard::monotonic<upstream_type>>::release();
        arena.release();
    }
};

template <class A>
std::unique_ptr<allocator_interface> make_limited(upstream_type& source) {
    return std::make_unique<adapter<mallard::limited<A>>>(std::size_t{1} << 30, source);
}

template <class A>
std::unique_ptr<allocator_interface> make_failing(upstream_type& source) {
    return std::make_unique<adapter<mallard::failing<A>>>(mallard::failure_plan{.at = 0}, source);
}

template <class Pool>
std::unique_ptr<allocator_interface> make_of_size(upstream_type& source) {
    return std::make_unique<adapter<Pool>>(block_size{300, 64}, source);
}

std::unique_ptr<allocator_interface> make_single(upstream_type& source) {
    return std::make_unique<adapter<single_pool>>(block_size{300, 64}, std::size_t{5000}, source);
}

std::unique_ptr<allocator_interface> make_multipool_of_small_blocks(upstream_type& source) {
    return std::make_unique<adapter<multipool>>(
        source, mallard::multipool_options{.largest_pooled_bytes = 72, .growth = {64, 1024}});
}

std::unique_ptr<allocator_interface> make_heap_of_small_chunks(upstream_type& source) {
    return std::make_unique<adapter<mallard::heap<upstream_type>>>(
        source, mallard::heap_options{.growth = {.first_chunk_bytes = 256, .largest_chunk_bytes = 2048}});
}

} // namespace

const std::vector<allocator_row>& every_allocator() {
    // Capturing stacks would take half the time of checked allocators, and no test of this suite reads them.
    static const std::size_t previous_frames = mallard::keep_stack_frames(0);
    static_cast<void>(previous_frames);
    static const std::vector<allocator_row> all = {
        {"monotonic", make<mallard::monotonic<upstream_type>>},
        {"monotonic_with_buffer", make<monotonic_with_buffer>},
        {"multipool_last_freed", make<multipool_reusing<mallard::last_freed>>},
        {"multipool_first_freed", make<multipool>},
        {"multipool_of_small_blocks", make_multipool_of_small_blocks},
        {"multipool_over_monotonic", make<multipool_over_monotonic>},
        {"fast_fit", make<mallard::fast_fit<upstream_type>>},
        {"fixed_pool", make<growing_pool<mallard::last_freed>>},
        {"fixed_pool_of_a_size", make_of_size<growing_pool<mallard::first_freed>>},
        {"fixed_pool_in_one_room", make_single},
        {"small_object_pool", make<mallard::small_object_pool<upstream_type>>},
        {"adaptive_pool", make<divided_adaptive_pool>},
        {"adaptive_pool_of_a_size", make_of_size<divided_adaptive_pool>},
        {"adaptive_pool_aligned", make<aligned_adaptive_pool>},
        {"concurrent_multipool", make<mallard::concurrent_multipool<upstream_type>>, false},
        {"heap", make<mallard::heap<upstream_type>>, false},
        {"heap_of_small_chunks", make_heap_of_small_chunks, false},
        {"counted_multipool", make<mallard::counted<multipool>>},
        {"counted_heap", make<mallard::counted<mallard::heap<upstream_type>>>, false},
        {"limited_multipool", make_limited<multipool>},
        {"failing_multipool", make_failing<multipool>},
        {"recorded_multipool", make<mallard::recorded<multipool>>},
        {"recorded_heap", make<mallard::recorded<mallard::heap<upstream_type>>>, false},
        {"synchronized_multipool", make<mallard::synchronized<multipool>>},
        {"checked_multipool", make<mallard::checked<multipool>>, false},
        {"checked_monotonic", make<mallard::checked<mallard::monotonic<upstream_type>>>, false},
        {"checked_fixed_pool", make<mallard::checked<growing_pool<mallard::last_freed>>>, false},
    };
    return all;
}

std::ostream& operator<<(std::ostream& out, const allocator_row& row) {
    return out << row.name;
}

} // namespace contract
