/// Counts the requests of one vector to its allocator, in untimed passes.
///
/// counted_allocator<A> is an allocator A that reports every call to a request_counter. A has version 1
/// (allocate, deallocate) or version 2 of N1953 (with allocation_command).
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>

namespace bench {

/// The address of a block that may have been freed: pointers to it may not even be compared.
class block_address {
public:
    block_address() = default;
    block_address(const void* p) noexcept
        : number_(reinterpret_cast<std::uintptr_t>(p)) {} // NOLINT: a pointer

    friend bool operator==(block_address, block_address) = default;

private:
    std::uintptr_t number_ = 0;
};

/// Counts the requests, and the live bytes. It allocates nothing, because its memory could stop a block from
/// growing.
class request_counter {
public:
    void allocated(block_address p, std::size_t bytes) noexcept {
        ++allocations;
        live_block& place = find_place({});
        place.p = p;
        resize(place, bytes);
    }

    void deallocated(block_address p) noexcept {
        ++deallocations;
        live_block& place = find_place(p);
        resize(place, 0);
        place.p = {};
    }

    void expanded(block_address from, block_address to, std::size_t bytes) noexcept {
        ++(from == to ? expansions_forward : expansions_backward);
        live_block& place = find_place(from);
        place.p = to;
        resize(place, bytes);
    }

    void shrunk(block_address p, std::size_t bytes) noexcept {
        ++shrinks;
        resize(find_place(p), bytes);
    }

    std::int64_t allocations = 0;
    std::int64_t deallocations = 0;
    std::int64_t expansions_forward = 0;
    std::int64_t expansions_backward = 0;
    std::int64_t shrinks = 0;
    std::size_t live_bytes = 0;
    std::size_t peak_live_bytes = 0;

private:
    struct live_block {
        block_address p;
        std::size_t bytes = 0;
    };

    live_block& find_place(block_address p) noexcept {
        live_block* const match = std::ranges::find(blocks_, p, &live_block::p);
        if (match == blocks_.end()) {
            std::abort(); // a block that is not this vector's, or a third one
        }
        return *match;
    }

    void resize(live_block& place, std::size_t bytes) noexcept {
        live_bytes = live_bytes - place.bytes + bytes;
        place.bytes = bytes;
        peak_live_bytes = std::max(peak_live_bytes, live_bytes);
    }

    std::array<live_block, 2> blocks_; ///< the blocks that a vector leaves and moves into
};

/// The bits of a command, convertible to the integer type of a library.
struct allocation_bits {
    unsigned bits;

    template <std::integral Number>
    operator Number() const noexcept { // NOLINT: a number as any
        return static_cast<Number>(bits);
    }
};

template <class A>
class counted_allocator : public A {
    using traits = std::allocator_traits<A>;

public:
    using value_type = typename traits::value_type;

    template <class U>
    struct rebind {
        using other = counted_allocator<typename traits::template rebind_alloc<U>>;
    };

    counted_allocator(const A& wrapped, request_counter& counter) noexcept : A(wrapped), counter_(&counter) {}

    template <class B>
    counted_allocator(const counted_allocator<B>& other) noexcept : A(other), counter_(other.counter()) {}

    [[nodiscard]] value_type* allocate(std::size_t n) {
        value_type* const p = A::allocate(n);
        counter_->allocated(p, n * sizeof(value_type));
        return p;
    }

    void deallocate(value_type* p, std::size_t n) noexcept {
        counter_->deallocated(p);
        A::deallocate(p, n);
    }

    /// As in N1953. `size` is the preferred size, and becomes the actual one, in elements. `reuse` becomes null
    /// if the block is a new one.
    value_type* allocation_command(unsigned command, std::size_t limit, std::size_t& size, value_type*& reuse)
        requires requires(A& a) { a.allocation_command(allocation_bits{command}, limit, size, reuse); }
    {
        value_type* const old = reuse;
        value_type* const p = A::allocation_command(allocation_bits{command}, limit, size, reuse);
        if (p == nullptr) {
            return p;
        }
        constexpr unsigned shrink_in_place = 0x08;
        const std::size_t bytes = size * sizeof(value_type);
        if ((command & shrink_in_place) != 0) { // some libraries leave `reuse` unset then
            counter_->shrunk(old, bytes);
        } else if (reuse == nullptr) {
            counter_->allocated(p, bytes);
        } else {
            counter_->expanded(old, p, bytes);
        }
        return p;
    }

    [[nodiscard]] request_counter* counter() const noexcept { return counter_; }

private:
    request_counter* counter_;
};

} // namespace bench
