/// bdlma, the allocators of Bloomberg's BDE, which P0089 and P0213 measured.
///
/// Data model: BDE has each mechanism twice. A pool (SequentialPool, Multipool) has no virtual function, and is bound by
/// type: AS3, AS4, AS7, AS8, AS11 and AS12. An allocator (SequentialAllocator, MultipoolAllocator) has a pool behind the
/// bases bslma::Allocator and bdlma::ManagedAllocator: AS5, AS6, AS9, AS10, AS13 and AS14. The papers' programs bind them so
/// (allocont.h, zation.cc and tention.cc in github.com/bloomberg/bde-allocator-benchmarks).
///
/// Configuration: default options. The buffered monotonic classes where the experiment has a buffer, the others, which begin
/// with 256 bytes, where it has none. Multipools have ten pools, for blocks up to 4 KiB. The upstream is BDE's default
/// allocator, which is new and delete. BDE aligns a block to its size's largest factor of two, up to 16, so that sizes are
/// rounded up to the requested alignment; alignments above 16 are not served. BDE's assertions in headers are off
/// (BDE_BUILD_TARGET_OPT; cmake/contenders.cmake).
///
/// A call of the base is one virtual function of bslma::Allocator, as in the papers. bsl::allocator of today calls
/// std::pmr::memory_resource, a base of bslma::Allocator, which adds a second virtual call.
#pragma once

#include "runner/strategy/source_of.hpp"

#include <bdlma_bufferedsequentialallocator.h>
#include <bdlma_bufferedsequentialpool.h>
#include <bdlma_managedallocator.h>
#include <bdlma_multipool.h>
#include <bdlma_multipoolallocator.h>
#include <bdlma_sequentialallocator.h>
#include <bdlma_sequentialpool.h>

#include <span>
#include <variant>

namespace bench {

namespace bdlma = BloombergLP::bdlma;

/// A monotonic pool: BufferedSequentialPool or SequentialPool.
template <class Pool>
class bde_monotonic_source {
public:
    bde_monotonic_source() = default;
    explicit bde_monotonic_source(std::span<std::byte> buffer)
        : pool_(reinterpret_cast<char*>(buffer.data()), buffer.size()) {}

    [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment) {
        return pool_.allocate(mallard::core::align_up(bytes, alignment));
    }

    void deallocate(void*, std::size_t, std::size_t) noexcept {}

    void release() noexcept { pool_.release(); }

private:
    Pool pool_;
};

class bde_multipool {
public:
    explicit bde_multipool(bdlma::ManagedAllocator* upstream = nullptr) : pool_(upstream) {}

    [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment) {
        return pool_.allocate(mallard::core::align_up(bytes, alignment));
    }

    void deallocate(void* p, std::size_t, std::size_t) noexcept { pool_.deallocate(p); }

    void release() noexcept { pool_.release(); }

private:
    bdlma::Multipool pool_;
};

/// The monotonic allocator under a multipool. A base class, because it must be there before the pool and after it.
class bde_arena {
public:
    bde_arena() = default;
    explicit bde_arena(std::span<std::byte> buffer)
        : arena_(std::in_place_type<bdlma::BufferedSequentialAllocator>,
                 reinterpret_cast<char*>(buffer.data()), buffer.size()) {}

protected:
    [[nodiscard]] bdlma::ManagedAllocator* arena() noexcept {
        return std::visit([](auto& arena) -> bdlma::ManagedAllocator* { return &arena; }, arena_);
    }

private:
    std::variant<bdlma::SequentialAllocator, bdlma::BufferedSequentialAllocator> arena_;
};

class bde_multipool_over_monotonic_source : private bde_arena, public bde_multipool {
public:
    using base_type = bde_multipool;

    bde_multipool_over_monotonic_source() : bde_multipool(arena()) {}
    explicit bde_multipool_over_monotonic_source(std::span<std::byte> buffer)
        : bde_arena(buffer), bde_multipool(arena()) {}
};

/// BDE's base of allocators that can be released. It refers to one, because the base hides the functions of
/// std::pmr::memory_resource with two arguments.
class bde_base {
public:
    explicit bde_base(bdlma::ManagedAllocator& allocator) noexcept : allocator_(allocator) {}
    bde_base(const bde_base&) = delete;
    bde_base& operator=(const bde_base&) = delete;

    [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment) {
        return allocator_.allocate(mallard::core::align_up(bytes, alignment));
    }

    void deallocate(void* p, std::size_t, std::size_t) noexcept { allocator_.deallocate(p); }

    void release() noexcept { allocator_.release(); }

private:
    bdlma::ManagedAllocator& allocator_;
};

/// An allocator, and then its base.
template <class Allocator>
struct bde_allocator {
    Allocator allocator;
};

template <class Allocator>
class bde_base_source : private bde_allocator<Allocator>, public bde_base {
public:
    using base_type = bde_base;

    bde_base_source() : bde_base(this->allocator) {}
    explicit bde_base_source(std::span<std::byte> buffer)
        requires std::is_constructible_v<Allocator, char*, std::size_t>
        : bde_allocator<Allocator>{Allocator(reinterpret_cast<char*>(buffer.data()), buffer.size())},
          bde_base(this->allocator) {}
};

class bde_multipool_over_monotonic_base_source : private bde_arena,
                                                 private bde_allocator<bdlma::MultipoolAllocator>,
                                                 public bde_base {
public:
    using base_type = bde_base;

    bde_multipool_over_monotonic_base_source()
        : bde_allocator{bdlma::MultipoolAllocator(arena())}, bde_base(allocator) {}
    explicit bde_multipool_over_monotonic_base_source(std::span<std::byte> buffer)
        : bde_arena(buffer), bde_allocator{bdlma::MultipoolAllocator(arena())}, bde_base(allocator) {}
};

template <>
struct source_traits<mechanism_kind::bde_monotonic>
    : plain_source<bde_monotonic_source<bdlma::SequentialPool>> {
    using buffered = bde_monotonic_source<bdlma::BufferedSequentialPool>;
};
template <>
struct source_traits<mechanism_kind::bde_monotonic_base>
    : plain_source<bde_base_source<bdlma::SequentialAllocator>> {
    using buffered = bde_base_source<bdlma::BufferedSequentialAllocator>;
};
template <>
struct source_traits<mechanism_kind::bde_multipool> : plain_source<bde_multipool> {};
template <>
struct source_traits<mechanism_kind::bde_multipool_base>
    : plain_source<bde_base_source<bdlma::MultipoolAllocator>> {};
template <>
struct source_traits<mechanism_kind::bde_multipool_over_monotonic>
    : plain_source<bde_multipool_over_monotonic_source> {};
template <>
struct source_traits<mechanism_kind::bde_multipool_over_monotonic_base>
    : plain_source<bde_multipool_over_monotonic_base_source> {};

} // namespace bench
