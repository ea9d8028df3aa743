/// A mechanism with a registry of its blocks, for adapt/checked.hpp and for checked builds
/// (impl/checking/by_default.hpp).
///
///     caller  ->  checked_calls: registry_  ->  Base: the mechanism, which provides the block with its guard zones
///
/// Data model: the mechanism as a base, so that its constructors and its other members stay unchanged; and the
/// registry. Every member of the mechanism that hands out, takes back or forgets blocks has a counterpart here, or
/// in impl/checking/checked_expansion.hpp if it changes sizes. Requests to the upstream grow by the guard zones, 32
/// bytes a block (more at an alignment above 16), and by the quarantine: a freed block goes back to the mechanism
/// when it leaves. If the mechanism has no memory left, the request is repeated as blocks leave the quarantine.
///
/// Threads: if the mechanism is thread-safe, every call holds a lock; otherwise there is none. Handlers run under
/// that lock.
#pragma once

#include <mallard/checking/misuse.hpp>
#include <mallard/checking/quarantine.hpp>
#include <mallard/core/alignment.hpp>
#include <mallard/core/block_chain.hpp>
#include <mallard/core/build_mode.hpp>
#include <mallard/core/burst.hpp>
#include <mallard/core/concepts.hpp>
#include <mallard/core/contract.hpp>
#include <mallard/core/failure.hpp>
#include <mallard/core/quiet_request.hpp>
#include <mallard/core/thread_safe.hpp>
#include <mallard/impl/checking/block_registry.hpp>
#include <mallard/impl/threads/fork_hold.hpp>
#include <mallard/impl/threads/fork_mutex.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>

namespace mallard::checking { inline namespace MALLARD_MODE {

/// The mark of a checked allocator: the mechanism's, and the state of the registry.
template <class Position>
struct checked_position {
    Position inner;
    block_registry::state state;
};

/// The lock of an allocator that one thread uses at a time.
struct no_mutex {
    static void lock() noexcept {}
    static void unlock() noexcept {}
};

template <upstream Base>
class checked_calls : public Base {
public:
    using Base::Base;

    /// Effects: checks all blocks a last time, and destroys the mechanism.
    ~checked_calls() {
        const call_in_progress call(*this, allocator_call::destructor);
        end_blocks(allocator_call::destructor);
    }

    /// Effects: reports a binding to a null pointer, and aborts the program.
    static void expect_not_null(const void* mechanism) noexcept {
        if (mechanism == nullptr) {
            report_no_allocator(misuse::null_allocator, allocator_call::none);
        }
    }

    /// Each call goes through the registry: no binding may serve it from the mechanism's front.
    void front() noexcept = delete;

    /// Returns: a block of `bytes` bytes, between guard zones.
    /// Throws: the mechanism's exceptions; std::bad_alloc if the registry has no memory.
    [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment = fundamental_alignment) {
        MALLARD_EXPECTS(is_power_of_two(alignment));
        const call_in_progress call(*this, allocator_call::allocate);
        block_registry::new_record opened = registry_.open(bytes, alignment);
        if (opened == nullptr) {
            fail_without_record(bytes, alignment);
        }
        const block_registry::outer_block outer = registry_.around(bytes, alignment);
        void* memory = nullptr;
        if constexpr (core::fails_recoverably<Base>) {
            for (std::size_t count = 1; memory == nullptr && registry_.blocks_in_quarantine() != 0;
                 count *= 2) {
                memory = core::ask_quietly(static_cast<Base&>(*this), outer.bytes, outer.alignment);
                if (memory == nullptr) {
                    registry_.let_leave(count);
                    give_back(allocator_call::allocate);
                }
            }
        }
        if (memory == nullptr) {
            memory = Base::allocate(outer.bytes, outer.alignment);
        }
        return registry_.enter(std::move(opened), memory, unused_behind(bytes));
    }

    /// Returns: a block of `bytes` bytes; null if the mechanism or the registry has no memory.
    [[nodiscard]] void* try_allocate(std::size_t bytes,
                                     std::size_t alignment = fundamental_alignment) noexcept
        requires requires(Base& b) { b.try_allocate(bytes, alignment); }
    {
        MALLARD_EXPECTS(is_power_of_two(alignment));
        const call_in_progress call(*this, allocator_call::allocate);
        block_registry::new_record opened = registry_.open(bytes, alignment);
        if (opened == nullptr) {
            return nullptr;
        }
        const block_registry::outer_block outer = registry_.around(bytes, alignment);
        void* memory = nullptr;
        ask_as_blocks_leave(allocator_call::allocate, [&]() noexcept {
            memory = Base::try_allocate(outer.bytes, outer.alignment);
            return memory != nullptr;
        });
        return memory == nullptr ? nullptr : registry_.enter(std::move(opened), memory, unused_behind(bytes));
    }

    /// Returns: `count` blocks, requested one by one.
    /// Throws: the exceptions of allocate(). No block is lost.
    [[nodiscard]] block_chain allocate_many(std::size_t bytes, std::size_t alignment, std::size_t count)
        requires burst_allocator<Base>
    {
        return core::allocate_one_by_one(*this, bytes, alignment, count);
    }

    /// Effects: deallocates each block.
    void deallocate_many(block_chain&& blocks, std::size_t bytes, std::size_t alignment) noexcept
        requires burst_allocator<Base>
    {
        while (void* p = blocks.pop_front()) {
            deallocate(p, bytes, alignment);
        }
    }

    /// Effects: puts the block in quarantine. Reports a pointer that is not a live block, a block that
    /// has another size or alignment, out-of-bounds writes, and writes into blocks that leave the quarantine. If
    /// the handler returns, a pointer that is not a live block is ignored.
    void deallocate(void* p, std::size_t bytes, std::size_t alignment = fundamental_alignment) noexcept {
        const call_in_progress call(*this, allocator_call::deallocate);
        registry_.close(p, bytes, alignment);
        give_back(allocator_call::deallocate);
    }

    /// Effects: reserves blocks with room for their guard zones. Blocks in quarantine are not free.
    void reserve(std::size_t bytes, std::size_t alignment, std::size_t count)
        requires requires(Base& b) { b.reserve(bytes, alignment, count); }
    {
        const call_in_progress call(*this, allocator_call::allocate);
        if (!registry_.has_representation(bytes, alignment)) {
            core::fail_as_upstream(static_cast<Base&>(*this), bytes, alignment);
        }
        const block_registry::outer_block outer = registry_.around(bytes, alignment);
        Base::reserve(outer.bytes, outer.alignment, count);
    }

    /// Effects: reserves bytes, of which guard zones take a part.
    void reserve(std::size_t bytes)
        requires requires(Base& b) { b.reserve(bytes); }
    {
        const call_in_progress call(*this, allocator_call::allocate);
        Base::reserve(bytes);
    }

    /// Returns: a block of the pool's size.
    [[nodiscard]] void* allocate_block()
        requires requires(Base& b) { b.allocate_block(); }
    {
        return allocate(Base::block_bytes(), Base::block_alignment());
    }

    /// Effects: deallocates a block of the pool's size.
    void deallocate_block(void* p) noexcept
        requires requires(Base& b) { b.deallocate_block(p); }
    {
        deallocate(p, Base::block_bytes(), Base::block_alignment());
    }

    /// Effects: resizes the block if it is the most recent allocation.
    [[nodiscard]] bool resize_last(void* p, std::size_t old_bytes, std::size_t new_bytes) noexcept
        requires requires(Base& b) { b.resize_last(p, old_bytes, new_bytes); }
    {
        const call_in_progress call(*this, allocator_call::resize_last);
        const auto outer = registry_.look_up(p, old_bytes, allocator_call::resize_last);
        if (!outer || new_bytes > most_resized_bytes) {
            return false;
        }
        const std::size_t bytes = new_bytes == 0 ? 0 : registry_.around(new_bytes, outer->alignment).bytes;
        if (!Base::resize_last(outer->p, outer->bytes, bytes)) {
            return false;
        }
        registry_.resize(p, new_bytes);
        return true;
    }

    /// Effects: checks all blocks, ends them, and releases the mechanism.
    void release() noexcept
        requires local_allocator<Base>
    {
        const call_in_progress call(*this, allocator_call::release);
        end_blocks(allocator_call::release);
        Base::release();
    }

    /// Effects: checks all blocks, ends them, and rewinds the mechanism.
    void rewind() noexcept
        requires rewindable<Base>
    {
        const call_in_progress call(*this, allocator_call::rewind);
        end_blocks(allocator_call::rewind);
        Base::rewind();
    }

    [[nodiscard]] auto mark() const noexcept
        requires rewindable<Base>
    {
        const lock_type lock(mutex_);
        const auto inner = Base::mark();
        return checked_position<std::remove_const_t<decltype(inner)>>{inner, registry_.current_state()};
    }

    /// Effects: checks the blocks that were allocated since the mark, ends them, and rolls the mechanism back.
    /// Reports a mark of another allocator, and one from before a release, a rewind or a rollback to an earlier
    /// mark; if the handler returns, nothing happens.
    template <class Position>
    void rollback(checked_position<Position> to) noexcept
        requires rewindable<Base>
    {
        const call_in_progress call(*this, allocator_call::rollback);
        if (!registry_.may_go_back(to.state)) {
            return;
        }
        registry_.let_leave_since(to.state.next_number);
        give_back(allocator_call::rollback);
        registry_.forget_since(to.state.next_number);
        Base::rollback(to.inner);
    }

    /// Effects: adopts the blocks of `other`, which are live blocks of this allocator alone from now on, and its youngest. Marks
    /// of `other` become stale.
    /// Returns: the mechanism's answer; false if there is no memory for the registry.
    [[nodiscard]] bool adopt(checked_calls& other) noexcept
        requires requires(Base& b) { b.adopt(b); }
    {
        if (this == &other) {
            return true;
        }
        const call_in_progress call(*this, allocator_call::adopt);
        const call_in_progress other_call(other, allocator_call::adopt);
        other.empty_quarantine(allocator_call::adopt);
        if (!registry_.has_room_for(other.registry_) || !Base::adopt(other)) {
            return false;
        }
        registry_.adopt(other.registry_);
        return true;
    }

    /// Effects: gives all blocks in quarantine to the mechanism, and trims it.
    void trim() noexcept
        requires requires(Base& b) { b.trim(); }
    {
        const call_in_progress call(*this, allocator_call::trim);
        empty_quarantine(allocator_call::trim);
        Base::trim();
    }

    /// Effects: gives all blocks in quarantine to the mechanism, and tidies it.
    void tidy() noexcept
        requires requires(Base& b) { b.tidy(); }
    {
        const call_in_progress call(*this, allocator_call::tidy);
        empty_quarantine(allocator_call::tidy);
        Base::tidy();
    }

    /// Returns: true if the mechanism is empty, and no block waits in quarantine.
    [[nodiscard]] bool empty() const noexcept
        requires requires(const Base& b) { b.empty(); }
    {
        const lock_type lock(mutex_);
        return registry_.blocks_in_quarantine() == 0 && Base::empty();
    }

    /// Effects: sets the bounds of this allocator's quarantine (checking/quarantine.hpp).
    void set_quarantine(quarantine_bounds bounds) noexcept {
        const lock_type lock(mutex_);
        registry_.set_quarantine(bounds);
    }

    /// Effects: reports every block with an out-of-bounds write, or a write after its deallocation.
    /// Complexity: linear in the blocks.
    void check() const noexcept {
        const call_in_progress call(*this, allocator_call::check);
        registry_.look_at_all(allocator_call::check);
    }

    /// Effects: reports the oldest block that was not freed, with their number.
    void expect_all_freed() const noexcept {
        const call_in_progress call(*this, allocator_call::expect_all_freed);
        registry_.expect_all_freed(allocator_call::expect_all_freed);
    }

    /// Effects: enables the report of blocks that were not freed, at each release and rewind, and when the
    /// allocator ends.
    void expect_all_freed_at_end() noexcept {
        const lock_type lock(mutex_);
        registry_.expect_all_freed_at_end();
    }

    // ---- for a fork

    /// Effects: locks the registry and the mechanism.
    /// Requires: the calling thread is not in an operation of this allocator.
    void lock_for_fork() noexcept
        requires threads::locked_for_fork<Base>
    {
        threads::lock_for_fork(mutex_);
        Base::lock_for_fork();
    }

    [[nodiscard]] bool try_lock_for_fork() noexcept
        requires threads::locked_for_fork<Base>
    {
        if (!threads::try_lock_for_fork(mutex_)) {
            return false;
        }
        if (!Base::try_lock_for_fork()) {
            threads::unlock_after_fork(mutex_);
            return false;
        }
        return true;
    }

    /// Effects: unlocks them, in the process that forked and in its child.
    void unlock_after_fork() noexcept
        requires threads::locked_for_fork<Base>
    {
        Base::unlock_after_fork();
        threads::unlock_after_fork(mutex_);
    }

protected:
    using mutex_type = std::conditional_t<thread_safe<Base>, threads::fork_mutex, no_mutex>;
    using lock_type = core::lock_guard<mutex_type>;

    /// A call of this allocator: its lock, and its entry in the registry.
    class call_in_progress {
    public:
        call_in_progress(const checked_calls& allocator, allocator_call by) noexcept
            : lock_(mutex_of_living(allocator, by)), registry_(allocator.registry_),
              begun_(registry_.begin(by)) {}
        call_in_progress(const call_in_progress&) = delete;
        call_in_progress& operator=(const call_in_progress&) = delete;
        ~call_in_progress() { registry_.finish(begun_); }

    private:
        static mutex_type& mutex_of_living(const checked_calls& allocator, allocator_call by) noexcept {
            allocator.registry_.expect_alive(by);
            return allocator.mutex_;
        }

        lock_type lock_;
        block_registry& registry_;
        block_registry::call begun_;
    };

    static constexpr std::size_t most_resized_bytes = static_cast<std::size_t>(PTRDIFF_MAX) / 2;

    /// None for an allocator that the quarantine would exhaust, and that cannot be retried.
    static constexpr std::optional<quarantine_bounds> own_quarantine =
        core::fails_recoverably<Base> && !core::reuses_only_the_last<Base> ? std::nullopt
                                                                           : std::optional(no_quarantine);

    /// Effects: fails as the mechanism does if no size holds the block with its guard zones, and otherwise because
    /// there is no memory for its record.
    [[noreturn]] void fail_without_record(std::size_t bytes, std::size_t alignment) {
        if (!registry_.has_representation(bytes, alignment)) {
            core::fail_as_upstream(static_cast<Base&>(*this), bytes, alignment);
        }
        core::fail_allocation(bytes, alignment);
    }

    /// Returns: the unused bytes behind the caller's, if all blocks have one size.
    [[nodiscard]] std::size_t unused_behind([[maybe_unused]] std::size_t bytes) const noexcept {
        if constexpr (core::gives_fixed_blocks<Base>) {
            return Base::block_bytes() - bytes;
        } else {
            return 0;
        }
    }

    /// Effects: repeats `ask()` until it returns true. After each failure more blocks leave the quarantine,
    /// until none is left there.
    template <class Ask>
    void ask_as_blocks_leave(allocator_call by, Ask ask) noexcept {
        for (std::size_t count = 1; !ask() && registry_.blocks_in_quarantine() != 0; count *= 2) {
            registry_.let_leave(count);
            give_back(by);
        }
    }

    /// Effects: gives the mechanism the blocks that leave the quarantine.
    void give_back(allocator_call by) noexcept {
        while (const auto outer = registry_.next_leaving(by)) {
            Base::deallocate(outer->p, outer->bytes, outer->alignment);
        }
    }

private:
    void empty_quarantine(allocator_call by) noexcept {
        registry_.let_leave(registry_.blocks_in_quarantine());
        give_back(by);
    }

    void end_blocks(allocator_call by) noexcept {
        empty_quarantine(by);
        registry_.forget_all(by);
    }

protected:
    mutable block_registry registry_{core::gives_fixed_blocks<Base> ? 0 : block_registry::default_guard_bytes,
                                     own_quarantine};
    [[MALLARD_NO_UNIQUE_ADDRESS]] mutable mutex_type mutex_;
};

}} // namespace mallard::checking::MALLARD_MODE

namespace mallard { inline namespace MALLARD_MODE {

template <class Base>
inline constexpr bool thread_safe<checking::checked_calls<Base>> = thread_safe<Base>;

}} // namespace mallard::MALLARD_MODE
