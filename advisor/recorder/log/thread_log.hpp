/// The log of a thread: its stack at the last event, and its position in a chunk.
///
///     | at, limit, inside, ... | stack |      one mapping, zeroed in the child of a fork
///
/// Data model: one log for each thread that has had an event. It outlives the thread, because a thread frees
/// blocks after its last destructor; another thread takes it over when the system does not know the first one any more.
/// Invariants: [at, limit) is memory of the log's chunk; both are null without a chunk, as in the child of a fork.
/// `inside` is the address of the recorder's frame while the thread is in the recorder, else 0.
/// Owner: its thread.
#pragma once

#include "recorder/code/code_objects.hpp"
#include "recorder/log/large_blocks.hpp"
#include "recorder/log/sampler.hpp"
#include "recorder/marks/open_marks.hpp"
#include "recorder/system/thread.hpp"
#include "recorder/system/time_stamp.hpp"
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
    /// Returns: the calling thread's log, created if necessary; null if events are not recorded.
    static thread_log* mine() noexcept;

    thread_log() noexcept = default;

    /// Effects: marks the thread as inside of the recorder.
    /// Returns: false if it was inside already: the event is then the recorder's own, or that of a signal handler.
    [[gnu::always_inline]] bool enter(address frame) noexcept {
        if (inside_ != 0 && !was_abandoned(frame)) [[unlikely]] {
            return false;
        }
        inside_ = frame;
        return true;
    }
    void leave() noexcept { inside_ = 0; }

    /// Effects: writes an allocation or deallocation.
    /// Returns: false if sampling skips the event.
    bool allocated(record_kind kind, std::uint64_t bytes, const void* block, caller from) noexcept;
    bool freed(record_kind kind, const void* block, caller from) noexcept;
    /// Effects: takes back the end of the block, if it `was_recorded`.
    /// Requires: that end was the thread's last event.
    void reallocation_failed(const void* block, bool was_recorded, caller from) noexcept;
    void marked(record_kind kind, std::uint64_t number, caller from) noexcept;
    /// Effects: writes a control call, which no sampling skips.
    void controlled(record_kind kind, caller from) noexcept;

    // marks.cpp: marks of the program.

    /// Effects: writes the begin of a scope, instance or function, after the ends of abandoned marks.
    void begins(record_kind kind, open_mark mark, caller from) noexcept;
    /// Effects: writes the end of the innermost such mark, after the ends of all marks within it; nothing if there is no such
    /// mark.
    void ends(record_kind end, std::uint64_t id, caller from) noexcept;

    void allocated_by_pool(std::uint64_t bytes, const void* block, std::uint64_t pool, caller from) noexcept;
    void freed_to_pool(const void* block, std::uint64_t pool, caller from) noexcept;
    void rolled_back(std::uint64_t allocations, std::uint64_t pool, caller from) noexcept;

    /// Effects: writes the share of resident pages of a large block that is about to end; of another one, nothing.
    [[gnu::noinline]] void write_resident(const void* block) noexcept;
    /// Effects: writes the resident share of the large blocks that are live.
    void write_large_blocks() noexcept;

    /// Effects: writes a name from the recording's table.
    void write_name(std::uint32_t number) noexcept;

    /// Effects: writes the ticks that the allocator took for the last event, and those that the recorder took.
    void write_ticks(std::uint64_t inside, std::uint64_t recorder) noexcept;

    /// Returns: true for one event in `between` on average, at random.
    [[gnu::always_inline]] bool is_sample(std::uint32_t between) noexcept {
        return --until_sample_ == 0 && draw_sample(between);
    }

    /// Effects: makes each event check first for room on the thread's alternate stack, if that is a small one.
    void watch_stack() noexcept;

    /// Effects: has the thread open its log again at its next event, for another recording. Any thread may call it.
    void close_for_recording() noexcept { __atomic_store_n(&ready_, false, __ATOMIC_RELEASE); }

    /// Effects: acquires what later events of the thread need, because the process is about to lose the right to do so. `from` is
    /// in the recorder.
    void prepare_for_sandbox(caller from) noexcept;

    /// Effects: notes that the thread is about to end. Later events are still written.
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
    void write_resident(const large_blocks::block& block) noexcept;
    std::byte* write_time(std::byte* to) noexcept;
    std::byte* write_levels(std::byte* to, unsigned kept, unsigned already_written) noexcept;
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
    [[nodiscard]] bool was_abandoned(address frame) noexcept;
    void write_new_code(unsigned kept) noexcept;
    void write_code(const unwind::code_object& file) noexcept;
    void write_function_file(address function) noexcept;
    void write_call(record_kind kind, address function, address frame) noexcept;
    unsigned end_abandoned(address slot, unsigned kept) noexcept;
    void end_down_to(unsigned place, caller from) noexcept;
    [[nodiscard]] static std::uint64_t mark_number(const open_mark& mark) noexcept;
    [[nodiscard]] unwind::stack::level enclosing_call(caller from) noexcept;

    std::byte* at_ = nullptr;    ///< position of the next record
    std::byte* limit_ = nullptr; ///< end of the populated memory
    address inside_ = 0;
    std::uint64_t last_time_ = 0;
    address last_address_ = 0;
    address last_function_ = 0;
    address last_frame_ = 0;
    std::uint64_t rules_seen_ = 0; ///< number of rules whose files are in the trace
    unwind::stack stack_;
    sampler sampler_;
    trace::chunk_header* chunk_ = nullptr;
    std::uint32_t number_ = 0;
    std::uint32_t begins_ = 0;            ///< number of `thread_begin` records written
    std::atomic<std::uint32_t> owner_{0}; ///< thread ID; 0 in the child of a fork
    std::uint32_t random_ = 1;
    std::uint32_t until_sample_ = 1;
    bool full_stack_ = false; ///< the next event begins a chunk, so all its levels are written
    bool opened_ = false;
    bool ready_ = false; ///< opened, and no check of the stack is needed
    bool ending_ = false;
    std::uint32_t attachment_ = 0;  ///< the recording of the process that the log belongs to
    bool freed_is_sampled_ = false; ///< the allocation of the last freed block was in a burst
    // Parts of the address space, by their lowest bits, whose files are in the trace.
    std::uint32_t functions_epoch_ = 0; ///< of the rules, at the time of the parts
    std::array<address, function_parts> functions_seen_{};
    open_marks open_; ///< last, because most of its memory is unused
};

/// Effects: has each thread open its log again at its next event.
void close_all_logs() noexcept;

} // namespace mallard::recorder
