/// In front of each test of std::pmr: the names of the standard's resources stand for mallard's mechanisms.
#pragma once

#include <mallard/mallard.hpp>

#include <cstddef>
#include <functional>
#include <memory_resource>
#include <span>

namespace std::pmr {

template <class Mechanism>
class mallard_resource : public memory_resource {
public:
    template <class... Args>
    explicit mallard_resource(memory_resource* source, Args... args) : source_(source), bound_(args...) {}
    mallard_resource(const mallard_resource&) = delete;
    mallard_resource& operator=(const mallard_resource&) = delete;
    ~mallard_resource() override = default;

    void release() { bound_.release(); }
    memory_resource* upstream_resource() const { return source_; }

protected:
    const Mechanism& mechanism() const { return bound_.mechanism(); }

private:
    void* do_allocate(size_t bytes, size_t alignment) override { return bound_.allocate(bytes, alignment); }
    void do_deallocate(void* p, size_t bytes, size_t alignment) override {
        bound_.deallocate(p, bytes, alignment);
    }
    bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }

    memory_resource* source_;
    mallard::resource<Mechanism> bound_;
};

class mallard_monotonic : public mallard_resource<mallard::monotonic<memory_resource>> {
public:
    mallard_monotonic() : mallard_monotonic(get_default_resource()) {}
    explicit mallard_monotonic(memory_resource* source) : mallard_resource(source, ref(*source)) {}
    explicit mallard_monotonic(size_t bytes, memory_resource* source = get_default_resource())
        : mallard_resource(source, ref(*source), mallard::monotonic_options{{.first_chunk_bytes = bytes}}) {}
    mallard_monotonic(void* buffer, size_t bytes, memory_resource* source = get_default_resource())
        : mallard_resource(source, span(static_cast<byte*>(buffer), bytes), ref(*source)) {}
};

using mallard_multipool = mallard::multipool<memory_resource>;

template <class Mechanism>
class mallard_pool : public mallard_resource<Mechanism> {
public:
    mallard_pool() : mallard_pool(pool_options{}) {}
    explicit mallard_pool(memory_resource* source) : mallard_pool(pool_options{}, source) {}
    mallard_pool(const pool_options& options, memory_resource* source = get_default_resource())
        : mallard_resource<Mechanism>(source, ref(*source), pool_sizes(options)), options_(options) {}

    pool_options options() const {
        const size_t blocks = options_.max_blocks_per_chunk;
        return {blocks == 0 ? most_blocks : blocks, largest_block(this->mechanism())};
    }

private:
    static constexpr size_t most_blocks = size_t{1} << 20;

    static size_t largest_block(const mallard_multipool& mechanism) {
        return mechanism.largest_pooled_bytes();
    }
    static size_t largest_block(const auto& lock) { return lock.mechanism().largest_pooled_bytes(); }

    static mallard::multipool_options pool_sizes(const pool_options& options) {
        const size_t bytes = options.largest_required_pool_block;
        return bytes == 0 ? mallard::multipool_options{} : mallard::multipool_options{bytes};
    }

    pool_options options_;
};

class mallard_unsynchronized : public mallard_pool<mallard_multipool> {
    using mallard_pool::mallard_pool;
};
class mallard_synchronized : public mallard_pool<mallard::synchronized<mallard_multipool>> {
    using mallard_pool::mallard_pool;
};

} // namespace std::pmr

#define monotonic_buffer_resource mallard_monotonic
#define unsynchronized_pool_resource mallard_unsynchronized
#define synchronized_pool_resource mallard_synchronized
