/// The registry of a checked allocator's blocks, which finds misuse.
///
///     the mechanism's block:   [ ...... | guard zone ][ the caller's block ][ guard zone ]
///                                       ^ 16 bytes    ^ at its alignment     ^ 16 bytes
///     table_:  address -> record    live_:  oldest <-> ... <-> youngest    dead_:  by their end
///
///     a block:  live_  ->  quarantine_  ->  leaving_  ->  given back to the mechanism, its record in dead_
///
/// Data model: a record for each block that lives, for each that is in quarantine (checking/quarantine.hpp), and
/// for each of the last 16384 that have ended and whose address was not reused. It holds the address, the size,
/// the requested size, the alignment, the number in the order of allocation, the place of the allocation, and the
/// call that ended the block. Records and table come from std::malloc: a suspect allocator does not keep its own
/// registry. A record takes 96 bytes, and 8 for each return address. If all blocks of the mechanism have one size
/// there may be no guard zones; then up to 16 unused bytes behind the caller's are the zone.
/// Invariants: an address has at most one record, and one more of an earlier block that a release, a rewind or a rollback
/// ended: a container that does not know of that passes it when the address is another block's. live_ is in the order of allocation, so that a rollback looks
/// only at the blocks that it ends. Guard zones hold a pattern, and blocks in quarantine another; both are
/// poisoned under AddressSanitizer. leaving_ is empty between two calls of the allocator.
///
/// If a checked allocator asks another one for a chunk, in one thread, it is the holder of that block. If a
/// release ends the block, the lower allocator leaves word (src/mallard/impl/checking/memory_below.hpp), and the
/// holder reports it before it looks at released memory.
///
/// Each finding goes to report_misuse(); the functions document the behaviour if that returns. Not thread-safe: a
/// shared allocator locks both (impl/checking/checked_mechanism.hpp), and otherwise a second thread in a call is reported. The
/// destructor leaves a word in the memory, by which later calls are reported.
#pragma once

#include <mallard/checking/misuse.hpp>
#include <mallard/checking/quarantine.hpp>
#include <mallard/core/block_size.hpp>
#include <mallard/core/build_mode.hpp>
#include <mallard/core/expansion.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

namespace mallard::checking { inline namespace MALLARD_LIBRARY {

/// Effects: reports a call of an allocator that is not there, with its stack, and aborts the program.
[[noreturn]] void report_no_allocator(misuse kind, allocator_call by) noexcept;

class block_registry {
public:
    static constexpr std::size_t default_guard_bytes = core::guard_zone_bytes;
    static constexpr std::size_t most_dead_records = 16384;

    struct record;
    struct drop_record {
        void operator()(record* unused) const noexcept;
    };
    using new_record = std::unique_ptr<record, drop_record>;

    /// A block of the mechanism, with the guard zones: its address, size and alignment.
    struct outer_block {
        void* p = nullptr;
        std::size_t bytes = 0;
        std::size_t alignment = 0;
    };

    /// Effects: creates a registry of blocks with guard zones of `guard_bytes` bytes on both sides, 0 for none, and
    /// of a quarantine with these bounds, or those of default_quarantine().
    constexpr explicit block_registry(std::size_t guard_bytes,
                                      std::optional<quarantine_bounds> bounds = std::nullopt) noexcept
        : guard_bytes_(guard_bytes), bounds_(bounds) {}

    block_registry(const block_registry&) = delete;
    block_registry& operator=(const block_registry&) = delete;
    ~block_registry();

    /// The state of an allocator at a mark.
    struct state {
        std::uint64_t id = 0;        ///< of the registry
        std::uint64_t ends = 0;      ///< calls of forget_all() before the mark
        std::uint64_t rollbacks = 0; ///< rollbacks before the mark
        std::uint64_t next_number = 0;
    };

    [[nodiscard]] state current_state() noexcept;

    /// Returns: true if a rollback may go back to `to`; false, after a report, if not.
    [[nodiscard]] bool may_go_back(const state& to) noexcept;

    /// Effects: reports a call of an allocator that is not there, and aborts the program if the handler returns.
    void expect_alive(allocator_call by) const noexcept {
        if (life_ != alive) [[unlikely]] {
            report_no_allocator(life_ == destroyed ? misuse::destroyed_allocator : misuse::no_allocator, by);
        }
    }

    /// A call of the allocator.
    struct call {
        allocator_call by;
        std::uint64_t outer_at_work; ///< the registry whose allocator made the call
        const void* outer_user;      ///< this thread, if it is in a call of the same allocator already
    };

    /// Effects: begins a call of the allocator; its caller may be another checked one. Reports another thread in a
    /// call, which goes on. Reports, once, if an upstream has taken back memory of blocks that live or wait; these
    /// have ended then.
    /// Returns: the argument of finish().
    [[nodiscard]] call begin(allocator_call by) noexcept;

    /// Effects: ends the call. A thread's calls end in the reverse order of their beginnings. Reports another thread
    /// that began one meanwhile.
    void finish(const call& begun) noexcept;

    /// Returns: a record, to be entered once the block is allocated; null if there is no memory for it, or if
    /// the size with its guard zones is not representable.
    [[nodiscard]] new_record open(std::size_t bytes, std::size_t alignment) noexcept;

    /// Returns: true if the size of such a block, with its guard zones, is representable.
    [[nodiscard]] bool has_representation(std::size_t bytes, std::size_t alignment) const noexcept;

    /// Returns: the request to the mechanism; `p` is null.
    /// Requires: it is representable.
    [[nodiscard]] outer_block around(std::size_t bytes, std::size_t alignment) const noexcept;

    /// Returns: the caller's bytes of such a block: the inverse of around().
    [[nodiscard]] std::size_t bytes_within(const outer_block& outer) const noexcept;

    /// Effects: enters the block; `outer` is the mechanism's block for around(). Fills the guard zones. If these
    /// have 0 bytes, the first of the `unused_bytes` behind the caller's become one.
    /// Returns: the caller's block.
    void* enter(new_record opened, void* outer, std::size_t unused_bytes = 0) noexcept;

    /// Effects: enters a block of which the mechanism gave `outer_bytes`, at least those of around().
    /// Returns: the caller's block, with all of these but the guard zones.
    [[nodiscard]] sized_block enter_larger(new_record opened, void* outer, std::size_t outer_bytes) noexcept;

    /// Effects: reports misuse in a deallocation with this size and alignment, checks the guard zones, and ends
    /// the block. It enters the quarantine; blocks in excess leave it.
    void close(void* p, std::size_t bytes, std::size_t alignment) noexcept;

    /// Effects: reports misuse in a deallocation without a size, checks the guard zones, and ends the block.
    void close(void* p) noexcept;

    /// Effects: removes the `count` oldest blocks from the quarantine.
    void let_leave(std::size_t count) noexcept;

    /// Effects: removes all blocks from the quarantine that were allocated since next_number() was `number`.
    void let_leave_since(std::uint64_t number) noexcept;

    /// Effects: reports a write into the next block that leaves.
    /// Returns: the deallocation for the mechanism, with the size and alignment of the allocation; nothing if no
    /// block leaves.
    [[nodiscard]] std::optional<outer_block> next_leaving(allocator_call by) noexcept;

    [[nodiscard]] std::size_t blocks_in_quarantine() const noexcept { return quarantine_.count; }

    /// Effects: sets the bounds of this allocator's quarantine.
    void set_quarantine(quarantine_bounds bounds) noexcept;

    /// Returns: the block around the live block `p`, after a report if `bytes` or its guard zones are wrong;
    /// nothing, after a report, if it is not a live block.
    [[nodiscard]] std::optional<outer_block> look_up(void* p, std::size_t bytes, allocator_call by) noexcept;

    /// Returns: the block around the live block `p`, for a call without a size; nothing, after a report, if it is
    /// no live block.
    [[nodiscard]] std::optional<outer_block> look_up(const void* p, allocator_call by) const noexcept;

    /// Returns: the block around the live block `p`, for a call that keeps its first `bytes` bytes; nothing, after
    /// a report, if it is not a live block or has fewer bytes.
    [[nodiscard]] std::optional<outer_block> look_up_part(const void* p, std::size_t bytes,
                                                          allocator_call by) const noexcept;

    /// Effects: makes the live block `p` the one within `outer`, the mechanism's new block, of which the caller
    /// asked for `requested_bytes`. The common part keeps its place.
    /// Returns: the caller's block.
    sized_block follow(void* p, std::size_t requested_bytes, const outer_block& outer) noexcept;

    /// Effects: gives the live block `p` `bytes` bytes; ends it if that is 0.
    /// Requires: the mechanism has done so.
    void resize(void* p, std::size_t bytes) noexcept;

    /// Effects: checks the guard zones of all live blocks, and ends the blocks.
    void forget_all(allocator_call by) noexcept;

    /// Effects: checks the guard zones of the blocks that were allocated since next_number() was `number`, and
    /// ends the blocks. The next block gets that number. Marks with a higher one are stale.
    void forget_since(std::uint64_t number) noexcept;

    /// Returns: true if adopt(other) is allowed; false if there is no memory for it.
    [[nodiscard]] bool has_room_for(const block_registry& other) noexcept;

    /// Effects: takes the live blocks of `other` over, as the youngest of this one. They are unknown there, and its marks are
    /// stale.
    /// Requires: has_room_for(other).
    void adopt(block_registry& other) noexcept;

    /// Effects: checks the guard zones of all live blocks, and the blocks in quarantine.
    void look_at_all(allocator_call by) const noexcept;

    /// Effects: reports the oldest live block, if any.
    void expect_all_freed(allocator_call by) const noexcept;

    /// Effects: makes forget_all() report live blocks.
    void expect_all_freed_at_end() noexcept { all_freed_at_end_ = true; }

    [[nodiscard]] std::uint64_t next_number() const noexcept { return next_number_; }
    [[nodiscard]] std::size_t live_blocks() const noexcept { return live_.count; }

private:
    static constexpr std::uint64_t alive = 0xA110'CA7E'D0C5'A11EU;
    static constexpr std::uint64_t destroyed = ~alive;

    /// In the order in which they were entered.
    struct record_list {
        record* oldest = nullptr;
        record* youngest = nullptr;
        std::size_t count = 0;

        void push(record* r) noexcept;
        void remove(record* r) noexcept;
        void move_to(record_list& other, record* r) noexcept;
        void drop_all() noexcept;
    };

    /// A rollback, as long as no later one went as far back. Older ones went further back than newer ones, so there
    /// are at most as many as blocks that were allocated and not rolled back.
    struct past_rollback {
        past_rollback* older;
        std::uint64_t rollbacks; ///< with this one
        std::uint64_t next_number;
    };

    void remember_rollback(std::uint64_t next_number) noexcept;
    void forget_rollbacks(std::uint64_t least_number) noexcept;

    [[nodiscard]] std::size_t front_bytes(std::size_t alignment) const noexcept;
    [[nodiscard]] outer_block to_outer(const record& r) const noexcept;

    [[nodiscard]] record*& bucket(const void* p) const noexcept;
    [[nodiscard]] record* find(const void* p) const noexcept;
    [[nodiscard]] static record* find_earlier(const record& r) noexcept;
    [[nodiscard]] const record* find_around(const void* p) const noexcept;
    [[nodiscard]] bool make_room() noexcept;
    void enter_in_table(record* r) noexcept;
    void take_from_table(record* r) noexcept;
    void bury(record* r, record_list& from) noexcept;
    void end(record* r, allocator_call by) noexcept;
    [[nodiscard]] record_list& list_for(const record& r) noexcept;
    void leave(record* r) noexcept;
    void forget_block_at(const void* p) noexcept;
    void close(record* r) noexcept;

    [[nodiscard]] record* expect_live(const misuse_report& arguments) const noexcept;

    void report_taken_block(const record& r, allocator_call by) const noexcept;
    void report_concurrent_use(allocator_call by) noexcept;
    [[nodiscard]] record* oldest_between(const record_list& list, const std::byte* begin,
                                         const std::byte* end) const noexcept;
    void expect_memory_below(allocator_call by) noexcept;

    /// The id of the registry whose allocator is at work in this thread; 0 if none is.
    static inline constinit MALLARD_THREAD_LOCAL std::uint64_t at_work = 0;

    record** table_ = nullptr;
    unsigned table_bits_ = 0;
    bool all_freed_at_end_ = false;
    record_list live_;
    record_list quarantine_;
    record_list leaving_;
    record_list dead_;
    std::size_t quarantine_bytes_ = 0;
    std::uint64_t next_number_ = 0;
    std::uint64_t rollbacks_ = 0;
    past_rollback* last_rollback_ = nullptr;
    std::uint64_t ends_ = 0; ///< calls of forget_all()
    allocator_call last_end_ = allocator_call::none;
    std::uint64_t id_ = 0;     ///< no other registry has it; 0 before the first call
    std::uint64_t holder_ = 0; ///< the id of the registry whose allocator makes the current call
    std::size_t guard_bytes_;
    std::optional<quarantine_bounds> bounds_;
    std::uint64_t life_ = alive;
    /// The thread that is in a call, by the address of its at_work. Relaxed: threads that share an allocator without a lock
    /// are the misuse, which ThreadSanitizer shall find too.
    std::atomic<const void*> user_{nullptr};
    std::atomic<allocator_call> users_call_{allocator_call::none};
};

}} // namespace mallard::checking::MALLARD_LIBRARY
