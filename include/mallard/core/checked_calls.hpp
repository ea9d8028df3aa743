/// A mechanism with books of its blocks in front: what adapt/checked.hpp makes of any allocator, and what the
/// names of the mechanisms stand for in a debug build (core/checked_by_default.hpp).
///
///     caller  ->  checked_calls: books_  ->  Base: the mechanism, asked for each block and its guard zones
///
/// Data model: the mechanism as a base, so that its constructors and all that it tells are there unchanged;
/// and the books. Every member of the mechanism that hands out, takes back or forgets blocks has its namesake
/// here: a new one needs one too. What is asked of the upstream grows by the guard zones, 32 bytes a block
/// (more where the alignment is above 16), but not in an order or a number that the mechanism would not have.
///
/// Threads: as the mechanism. Where that is shared by threads, a lock is held in every call, and there is
/// none where it is not. Handlers run under that lock.
#pragma once

#include <mallard/core/alignment.hpp>
#include <mallard/core/block_books.hpp>
#include <mallard/core/block_chain.hpp>
#include <mallard/core/burst.hpp>
#include <mallard/core/checked_by_default.hpp>
#include <mallard/core/concepts.hpp>
#include <mallard/core/contract.hpp>
#include <mallard/core/failure.hpp>
#include <mallard/core/thread_safe.hpp>

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <type_traits>
#include <utility>

namespace mallard {

/// The mark of a checked allocator: the mechanism's, and which block would have been the next.
template <class Position>
struct checked_position {
    Position inner;
    std::uint64_t next_number;
};

/// For what one thread uses at a time.
struct no_mutex {
    static void lock() noexcept {}
    static void unlock() noexcept {}
};

template <upstream Base>
class checked_calls : public Base {
public:
    using Base::Base;

    /// Effects: looks at all blocks a last time; then the mechanism ends.
    ~checked_calls() { books_.forget_all(allocator_call::destructor); }

    /// Returns: as the mechanism.
    /// Throws: what the mechanism throws; std::bad_alloc where the books find no memory.
    [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment = fundamental_alignment) {
        MALLARD_EXPECTS(is_power_of_two(alignment));
        const lock_type lock(mutex_);
        block_books::new_record opened = books_.open(bytes, alignment);
        if (opened == nullptr) {
            fail_allocation(bytes, alignment);
        }
        const block_books::whole_block whole = books_.around(bytes, alignment);
        void* const memory = Base::allocate(whole.bytes, whole.alignment);
        return books_.enter(std::move(opened), memory);
    }

    /// Returns: as allocate(); null where that throws.
    [[nodiscard]] void* try_allocate(std::size_t bytes,
                                     std::size_t alignment = fundamental_alignment) noexcept
        requires requires(Base& b) { b.try_allocate(bytes, alignment); }
    {
        MALLARD_EXPECTS(is_power_of_two(alignment));
        const lock_type lock(mutex_);
        block_books::new_record opened = books_.open(bytes, alignment);
        if (opened == nullptr) {
            return nullptr;
        }
        const block_books::whole_block whole = books_.around(bytes, alignment);
        void* const memory = Base::try_allocate(whole.bytes, whole.alignment);
        return memory == nullptr ? nullptr : books_.enter(std::move(opened), memory);
    }

    /// Returns: as the mechanism, but blocks that were asked for one by one.
    /// Throws: as allocate(); no block is lost.
    [[nodiscard]] block_chain allocate_many(std::size_t bytes, std::size_t alignment, std::size_t count)
        requires burst_allocator<Base>
    {
        return allocate_one_by_one(*this, bytes, alignment, count);
    }

    /// Effects: as deallocate(), of each block.
    void deallocate_many(block_chain&& blocks, std::size_t bytes, std::size_t alignment) noexcept
        requires burst_allocator<Base>
    {
        while (void* p = blocks.pop_front()) {
            deallocate(p, bytes, alignment);
        }
    }

    /// Effects: as the mechanism. Reports a block that is none, or not of these numbers, and what was written
    /// around it; where the handler returns, a block that is none is left alone.
    void deallocate(void* p, std::size_t bytes, std::size_t alignment = fundamental_alignment) noexcept {
        const lock_type lock(mutex_);
        if (const auto whole = books_.close(p, bytes, alignment)) {
            Base::deallocate(whole->p, whole->bytes, whole->alignment);
        }
    }

    /// Effects: as the mechanism.
    [[nodiscard]] bool resize_last(void* p, std::size_t old_bytes, std::size_t new_bytes) noexcept
        requires requires(Base& b) { b.resize_last(p, old_bytes, new_bytes); }
    {
        const lock_type lock(mutex_);
        const auto whole = books_.look_up(p, old_bytes, allocator_call::resize_last);
        if (!whole || new_bytes > most_resized_bytes) {
            return false;
        }
        const std::size_t bytes = new_bytes == 0 ? 0 : books_.around(new_bytes, whole->alignment).bytes;
        if (!Base::resize_last(whole->p, whole->bytes, bytes)) {
            return false;
        }
        books_.resize(p, new_bytes);
        return true;
    }

    /// Effects: looks at all blocks, ends them, and releases the mechanism.
    void release() noexcept
        requires local_allocator<Base>
    {
        const lock_type lock(mutex_);
        books_.forget_all(allocator_call::release);
        Base::release();
    }

    /// Effects: as release().
    void clear() noexcept
        requires requires(Base& b) { b.clear(); }
    {
        release();
    }

    /// Effects: looks at all blocks, ends them, and rewinds the mechanism.
    void rewind() noexcept
        requires rewindable<Base>
    {
        const lock_type lock(mutex_);
        books_.forget_all(allocator_call::rewind);
        Base::rewind();
    }

    [[nodiscard]] auto mark() const noexcept
        requires rewindable<Base>
    {
        const lock_type lock(mutex_);
        const auto inner = Base::mark();
        return checked_position<std::remove_const_t<decltype(inner)>>{inner, books_.next_number()};
    }

    /// Effects: looks at the blocks that were allocated since the mark, ends them, and rolls the mechanism
    /// back.
    template <class Position>
    void rollback(checked_position<Position> to) noexcept
        requires rewindable<Base>
    {
        const lock_type lock(mutex_);
        books_.forget_since(to.next_number);
        Base::rollback(to.inner);
    }

    /// Effects: reports each block around which somebody wrote.
    /// Complexity: linear in the blocks.
    void check() const noexcept {
        const lock_type lock(mutex_);
        books_.look_at_all(allocator_call::check);
    }

    /// Effects: reports the block allocated first of those that were not freed, with their number.
    void expect_all_freed() const noexcept {
        const lock_type lock(mutex_);
        books_.expect_all_freed(allocator_call::expect_all_freed);
    }

    /// Effects: as expect_all_freed(), from now on at each release and rewind, and when the allocator ends.
    void expect_all_freed_at_end() noexcept {
        const lock_type lock(mutex_);
        books_.expect_all_freed_at_end();
    }

private:
    using mutex_type = std::conditional_t<thread_safe<Base>, std::mutex, no_mutex>;
    using lock_type = std::lock_guard<mutex_type>;

    static constexpr std::size_t most_resized_bytes = static_cast<std::size_t>(PTRDIFF_MAX) / 2;

    block_books books_{gives_fixed_blocks<Base> ? 0 : block_books::usual_guard_bytes};
    [[no_unique_address]] mutable mutex_type mutex_;
};

template <class Base>
inline constexpr bool thread_safe<checked_calls<Base>> = thread_safe<Base>;

} // namespace mallard
