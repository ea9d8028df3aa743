/// What a checked allocator knows of its blocks, and where it would find a misuse.
///
///     what the mechanism gave:   [ ...... | guard zone ][ the caller's block ][ guard zone ]
///                                         ^ 16 bytes    ^ at its alignment     ^ 16 bytes
///     table_:  address -> record    live_:  oldest <-> ... <-> youngest    dead_:  the same, by their end
///
///     a block:  live_  ->  quarantine_  ->  leaving_  ->  given back to the mechanism, its record in dead_
///
/// Data model: a record for each block that lives, for each that was freed and is in quarantine
/// (checking/quarantine.hpp), and for each of the last 16384 that have ended and whose address was not handed out
/// again. It holds the block's address, its size and what was asked for, its alignment, its number in the order of allocation, the place
/// where it was allocated, and what ended it. Records and table come from std::malloc and from nowhere else:
/// an allocator that is suspected keeps no books about itself. A record takes 96 bytes, and 8 for each return
/// address kept.
/// Where the mechanism's blocks have one size there may be no guard zones; what a request leaves of its block
/// is the zone behind it then, up to 16 bytes.
/// Invariants: an address has one record at most. live_ is in the order of allocation, so that a rollback
/// looks at no more than what it ends. The guard zones hold a pattern, a block in quarantine holds another;
/// both are poisoned under AddressSanitizer. leaving_ is empty between two calls of the allocator.
///
/// An allocator that is asked while another checked one is at work in the same thread knows that as the holder of the
/// block, a chunk to that one: where it ends the block by a release it leaves word (src/mallard/checking/memory_below.hpp), and
/// the holder, before it looks at memory that is no longer there, tells what has happened.
///
/// Each finding goes to report_misuse(); the functions say how they go on where that returns.
/// Not thread-safe: who shares an allocator locks both (checking/checked_calls.hpp).
#pragma once

#include <mallard/checking/misuse.hpp>
#include <mallard/checking/quarantine.hpp>
#include <mallard/core/block_size.hpp>
#include <mallard/core/build_mode.hpp>
#include <mallard/core/expansion.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

namespace mallard::checking::inline MALLARD_LIBRARY {

class block_registry {
public:
    static constexpr std::size_t usual_guard_bytes = core::guard_zone_bytes;
    static constexpr std::size_t most_dead_records = 16384;

    struct record;
    struct drop_record {
        void operator()(record* unused) const noexcept;
    };
    using new_record = std::unique_ptr<record, drop_record>;

    /// What the mechanism is asked for in a block's stead, and where that lies.
    struct whole_block {
        void* p = nullptr;
        std::size_t bytes = 0;
        std::size_t alignment = 0;
    };

    /// Effects: makes books of blocks with guard zones of so many bytes on both sides, 0 for none; and of a
    /// quarantine with these bounds, or else those of usual_quarantine().
    constexpr explicit block_registry(std::size_t guard_bytes,
                                      std::optional<quarantine_bounds> bounds = std::nullopt) noexcept
        : guard_bytes_(guard_bytes), bounds_(bounds) {}

    block_registry(const block_registry&) = delete;
    block_registry& operator=(const block_registry&) = delete;
    ~block_registry();

    /// Which state of which allocator a mark is of.
    struct state {
        std::uint64_t id = 0;   ///< of the books
        std::uint64_t ends = 0; ///< how often all blocks were ended before
        std::uint64_t next_number = 0;
    };

    [[nodiscard]] state now() noexcept;

    /// Returns: whether a rollback may go back to `to`; false, after a report, where it may not.
    [[nodiscard]] bool may_go_back(const state& to) noexcept;

    /// Effects: begins a call of the allocator of these books; asked by another checked one, where that is at work.
    /// Reports, once, where an upstream has taken back memory of blocks that live or wait; these count as ended then.
    /// Returns: what to hand to finish().
    [[nodiscard]] std::uint64_t begin(allocator_call by) noexcept;

    /// Effects: ends the call. Calls end in the reverse order of their beginnings.
    static void finish(std::uint64_t begun) noexcept { at_work = begun; }

    /// Returns: a record, to be entered as soon as the block is there; null if there is no memory for it, or
    /// where the size with its guard zones has no representation.
    [[nodiscard]] new_record open(std::size_t bytes, std::size_t alignment) noexcept;

    /// Returns: whether a block of these numbers, with its guard zones, has a representation.
    [[nodiscard]] bool has_representation(std::size_t bytes, std::size_t alignment) const noexcept;

    /// Returns: what to ask the mechanism for; `p` is null.
    /// Requires: it has a representation.
    [[nodiscard]] whole_block around(std::size_t bytes, std::size_t alignment) const noexcept;

    /// Returns: the bytes that the caller has of such a block, as around() the other way round.
    [[nodiscard]] std::size_t bytes_within(const whole_block& whole) const noexcept;

    /// Effects: enters the block; `whole` is what the mechanism gave for around(). Draws the guard zones.
    /// Where these are of 0 bytes, the first of the `unused_bytes` that the mechanism's block has behind the
    /// caller's become one.
    /// Returns: the caller's block.
    void* enter(new_record opened, void* whole, std::size_t unused_bytes = 0) noexcept;

    /// Effects: as enter(), where the mechanism gave a block of `whole_bytes`, at least those of around().
    /// Returns: the caller's block, with all of these but the guard zones.
    [[nodiscard]] sized_block enter_larger(new_record opened, void* whole, std::size_t whole_bytes) noexcept;

    /// Effects: reports what is wrong with a deallocation by these numbers, looks at the guard zones, and
    /// ends the block. It enters the quarantine; what exceeds the bounds leaves it.
    void close(void* p, std::size_t bytes, std::size_t alignment) noexcept;

    /// Effects: the same of a deallocation that was told no numbers.
    void close(void* p) noexcept;

    /// Effects: lets blocks leave the quarantine, `count` of them, those that were freed first.
    void let_leave(std::size_t count) noexcept;

    /// Effects: lets all blocks leave the quarantine that were allocated since next_number() was `number`.
    void let_leave_since(std::uint64_t number) noexcept;

    /// Effects: reports where somebody wrote into the next block that leaves.
    /// Returns: what to deallocate; nothing where no block leaves. The numbers are those that it was
    /// allocated with.
    [[nodiscard]] std::optional<whole_block> next_leaving(allocator_call by) noexcept;

    [[nodiscard]] std::size_t blocks_in_quarantine() const noexcept { return quarantine_.count; }

    /// Effects: sets bounds of their own for the blocks of these books.
    void set_quarantine(quarantine_bounds bounds) noexcept;

    /// Returns: the numbers of the live block `p`, after a report where something is wrong with `bytes` or
    /// its guard zones; nothing, after a report, where it is none.
    [[nodiscard]] std::optional<whole_block> look_up(void* p, std::size_t bytes, allocator_call by) noexcept;

    /// Returns: as above, for a call that was told no numbers.
    [[nodiscard]] std::optional<whole_block> look_up(const void* p, allocator_call by) const noexcept;

    /// Returns: as above, for a call that is to leave the first `bytes` bytes of the block; nothing where it has
    /// fewer, which is reported as a wrong size.
    [[nodiscard]] std::optional<whole_block> look_up_part(const void* p, std::size_t bytes,
                                                          allocator_call by) const noexcept;

    /// Effects: makes the live block `p` the one within `now`, which the mechanism has made of its block, and
    /// of which its user knows that he has `asked_bytes`. What the two have in common lies where it was.
    /// Returns: the caller's block.
    sized_block follow(void* p, std::size_t asked_bytes, const whole_block& now) noexcept;

    /// Effects: makes the live block `p` one of `bytes` bytes; ends it where that is 0.
    /// Requires: the mechanism has done so.
    void resize(void* p, std::size_t bytes) noexcept;

    /// Effects: looks at the guard zones of all live blocks, and ends the blocks.
    void forget_all(allocator_call by) noexcept;

    /// Effects: the same for the blocks that were allocated since next_number() was `number`.
    void forget_since(std::uint64_t number) noexcept;

    /// Effects: looks at the guard zones of all live blocks, and at the blocks in quarantine.
    void look_at_all(allocator_call by) const noexcept;

    /// Effects: reports the block allocated first of those that live, where there are any.
    void expect_all_freed(allocator_call by) const noexcept;

    /// Effects: forget_all() expects from now on that all blocks were freed.
    void expect_all_freed_at_end() noexcept { all_freed_at_end_ = true; }

    [[nodiscard]] std::uint64_t next_number() const noexcept { return next_number_; }
    [[nodiscard]] std::size_t live_blocks() const noexcept { return live_.count; }

private:
    /// In the order in which they came.
    struct record_list {
        record* oldest = nullptr;
        record* youngest = nullptr;
        std::size_t count = 0;

        void push(record* r) noexcept;
        void remove(record* r) noexcept;
        void move_to(record_list& other, record* r) noexcept;
        void drop_all() noexcept;
    };

    [[nodiscard]] std::size_t front_bytes(std::size_t alignment) const noexcept;
    [[nodiscard]] whole_block whole_of(const record& r) const noexcept;

    [[nodiscard]] record*& bucket_of(const void* p) const noexcept;
    [[nodiscard]] record* find(const void* p) const noexcept;
    [[nodiscard]] const record* find_around(const void* p) const noexcept;
    [[nodiscard]] bool make_room() noexcept;
    void enter_in_table(record* r) noexcept;
    void take_from_table(record* r) noexcept;
    void bury(record* r, record_list& from) noexcept;
    void end(record* r, allocator_call by) noexcept;
    [[nodiscard]] record_list& list_of(const record& r) noexcept;
    void leave(record* r) noexcept;
    void forget_former_at(const void* p) noexcept;
    void close(record* r) noexcept;

    [[nodiscard]] record* expect_live(const misuse_report& told) const noexcept;

    void leave_word(const record& r, allocator_call by) const noexcept;
    [[nodiscard]] record* oldest_between(const record_list& list, const std::byte* begin,
                                         const std::byte* end) const noexcept;
    void expect_memory_below(allocator_call by) noexcept;

    /// The id of the books whose allocator is at work in this thread; 0 if none is.
    static inline constinit thread_local std::uint64_t at_work = 0;

    record** table_ = nullptr;
    unsigned table_bits_ = 0;
    bool all_freed_at_end_ = false;
    record_list live_;
    record_list quarantine_;
    record_list leaving_;
    record_list dead_;
    std::size_t quarantine_bytes_ = 0;
    std::uint64_t next_number_ = 0;
    std::uint64_t ends_ = 0; ///< calls of forget_all()
    allocator_call last_end_ = allocator_call::none;
    std::uint64_t id_ = 0;     ///< no other books have it; 0 before the first call
    std::uint64_t holder_ = 0; ///< the id of those whose allocator asks in the present call
    std::size_t guard_bytes_;
    std::optional<quarantine_bounds> bounds_;
};

} // namespace mallard::checking::inline MALLARD_LIBRARY
