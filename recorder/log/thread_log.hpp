/// What a thread records: its stack at the last event, and its place in a chunk.
///
///     | at, limit, inside, ... | stack |      a mapping of its own, all zeros in the child of a fork
///
/// Data model: one log for each thread that has had an event. It stays when the thread ends, because a thread frees
/// blocks after its last destructor; another thread takes it over when the system no longer knows the first one.
/// Invariants: [at, limit) is memory of the log's chunk; both are null if there is none, as in the child of a fork.
/// `inside` is the address of the recorder's frame while the thread is in the recorder, and 0 otherwise.
/// Owner: its thread.
#pragma once

#include "recorder/code/code_objects.hpp"
#include "recorder/log/sampler.hpp"
#include "recorder/marks/open_marks.hpp"
#include "recorder/system/alternate_stack.hpp"
#include "recorder/system/time_stamp.hpp"
#include "recorder/unwind/caller.hpp"
#include "recorder/unwind/stack.hpp"
#include "trace/part.hpp"
#include "trace/raw_record.hpp"

#include <array>
#include <atomic>

namespace mallard::recorder {

using trace::record_kind;
using unwind::address;
using unwind::caller;

class thread_log {
public:
    /// Returns: the calling thread's log, made if it has none; null if events are not recorded.
    static thread_log* mine() noexcept;

    thread_log() noexcept = default;

    /// Effects: the calling thread is inside of the recorder from here on, if it was not.
    /// Returns: false if it was: then the event is the recorder's own, or that of a signal handler.
    [[gnu::always_inline]] bool enter(address frame) noexcept {
        if (inside_ != 0 && !left_behind(frame)) [[unlikely]] {
            return false;
        }
        inside_ = frame;
        return true;
    }
    void leave() noexcept { inside_ = 0; }

    /// Effects: writes an event that has a block.
    /// Returns: false if sampling leaves the event out.
    bool allocated(record_kind kind, std::uint64_t bytes, const void* block, caller from) noexcept;
    bool freed(record_kind kind, const void* block, caller from) noexcept;
    /// Effects: writes that the block is still there, if its end `was_recorded`.
    /// Requires: that end was the thread's last event.
    void reallocation_failed(const void* block, bool was_recorded, caller from) noexcept;
    void marked(record_kind kind, std::uint64_t which, caller from) noexcept;

    // marks.cpp: what the program tells of itself.

    /// Effects: writes that a scope, instance or function begins, and before that the ends that are missing.
    void begins(record_kind kind, open_mark mark, caller from) noexcept;
    /// Effects: writes the end of the innermost such mark, and before that of all within it; nothing if there is none.
    void ends(record_kind end, std::uint64_t what, caller from) noexcept;

    void allocated_by_pool(std::uint64_t bytes, const void* block, std::uint64_t pool, caller from) noexcept;
    void freed_to_pool(const void* block, std::uint64_t pool, caller from) noexcept;
    void rolled_back(std::uint64_t allocations, std::uint64_t pool, caller from) noexcept;

    /// Effects: writes a name from the recording's table.
    void write_name(std::uint32_t number) noexcept;

    /// Effects: writes the ticks that the allocator took for the last event, and those that the recorder took.
    void took(std::uint64_t inside, std::uint64_t recorder) noexcept;

    /// Returns: true for one event in `between` on average, at random.
    [[gnu::always_inline]] bool is_sample(std::uint32_t between) noexcept {
        return --until_sample_ == 0 && draw_sample(between);
    }

    /// Effects: each event looks at first if there is room for it on a small alternate stack, if the thread has one.
    void watch_stack() noexcept { ready_ = opened_ && !has_small_stack(); }

    /// Effects: takes what later events of the thread need, because the process is about to lose the right to ask for it. `from` is in
    /// the recorder.
    void prepare_for_sandbox(caller from) noexcept;

    /// Effects: the thread is about to end. Events that follow are still written.
    void thread_ends() noexcept;

private:
    static constexpr std::size_t function_parts = 64;
    static constexpr unsigned function_part_bits = 16;

    static thread_log* open_mine() noexcept;
    bool draw_sample(std::uint32_t between) noexcept;
    static thread_log* take(std::uint32_t owner) noexcept;
    [[nodiscard]] bool take_over(std::uint32_t owner) noexcept;
    [[nodiscard]] bool begin() noexcept;

    std::byte* begin_event(caller from) noexcept;
    std::byte* write_stack(unsigned kept) noexcept;
    [[gnu::always_inline]] inline unsigned update_stack(caller from) noexcept;
    [[gnu::always_inline]] inline void forget_unloaded(caller from) noexcept;
    void add_sampled(const void* block) noexcept;
    void write_gap() noexcept;
    std::byte* write_time(std::byte* to) noexcept;
    std::byte* write_levels(std::byte* to, unsigned kept, unsigned written_before) noexcept;
    [[gnu::always_inline]] inline std::byte* copy_ends(std::byte* to, unsigned begin, unsigned end,
                                                       unsigned most) const noexcept;
    [[gnu::always_inline]] inline std::byte* copy_levels(std::byte* to, unsigned begin,
                                                         unsigned end) const noexcept;
    std::byte* write_address(std::byte* to, const void* block) noexcept;
    void publish(record_kind kind, std::byte* end) noexcept;
    [[nodiscard]] bool has_room(std::size_t bytes) noexcept;
    [[nodiscard]] bool next_chunk() noexcept;
    void write_thread_begin() noexcept;
    void close() noexcept;
    [[nodiscard]] bool left_behind(address frame) noexcept;
    void write_new_code(unsigned kept) noexcept;
    void write_code(const unwind::code_object& file) noexcept;
    void write_code_of(address function) noexcept;
    void write_call(record_kind kind, address function, address frame) noexcept;
    void write_mark(record_kind kind, const open_mark& mark, caller from) noexcept;
    unsigned end_left(address slot, unsigned kept) noexcept;
    void end_down_to(unsigned place, caller from) noexcept;
    [[nodiscard]] static std::uint64_t number_of(const open_mark& mark) noexcept;
    [[nodiscard]] unwind::stack::level call_of(caller from) noexcept;

    std::byte* at_ = nullptr;    ///< where the next record begins
    std::byte* limit_ = nullptr; ///< the end of the memory that the system has given
    address inside_ = 0;
    std::uint64_t last_time_ = 0;
    address last_address_ = 0;
    address last_function_ = 0;
    address last_frame_ = 0;
    std::uint64_t rules_seen_ = 0; ///< the rules whose files are in the trace
    unwind::stack stack_;
    sampler sampler_;
    trace::chunk_header* chunk_ = nullptr;
    std::uint32_t number_ = 0;
    std::uint32_t begins_ = 0;            ///< records of kind `thread_begin` that the thread has written
    std::atomic<std::uint32_t> owner_{0}; ///< the system's number of the thread; 0 in the child of a fork
    std::uint32_t random_ = 1;
    std::uint32_t until_sample_ = 1;
    bool whole_stack_ = false; ///< the next event begins a chunk, so it has all levels
    bool opened_ = false;
    bool ready_ = false; ///< opened, and no event needs a look at the stack first
    bool ending_ = false;
    bool freed_is_sampled_ = false; ///< the last block that went had its allocation in a burst
    // Parts of the address space, by their lowest bits, from which a function's file is in the trace.
    std::uint32_t functions_epoch_ = 0; ///< of the rules, when the parts were noted
    std::array<address, function_parts> functions_seen_{};
    open_marks open_; ///< the last member, because most of its memory is not used
};

} // namespace mallard::recorder
