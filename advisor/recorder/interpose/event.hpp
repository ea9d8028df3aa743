/// One event around one call of the allocator.
#pragma once

#include "recorder/interpose/interposed.hpp"
#include "recorder/log/recording.hpp"
#include "recorder/log/thread_log.hpp"

namespace mallard::recorder {

/// Effects: ends the recording of `mallard record --pid`, and waits until its thread has ended, at most some seconds.
void end_attachment() noexcept;

/// While it lives, the thread is in the recorder, and its own allocations are not recorded.
class event {
public:
    [[gnu::always_inline]] explicit event(arch::call_frame frame) noexcept
        : log_(thread_log::mine()), from_(caller::from_frame(frame)) {
        if (log_ != nullptr && !log_->enter(from_.slot)) [[unlikely]] {
            log_ = nullptr;
        }
    }

    event(const event&) = delete;
    event& operator=(const event&) = delete;
    [[gnu::always_inline]] ~event() {
        if (log_ != nullptr) {
            log_->leave();
        }
    }

    /// Returns: the result of `allocate`, and records it.
    template <typename Allocate>
    [[gnu::always_inline]] void* allocated(record_kind kind, std::size_t bytes, Allocate allocate) noexcept {
        if (log_ == nullptr) [[unlikely]] {
            return allocate();
        }
        if (log_->is_sample(the_recording.time_one_in)) [[unlikely]] {
            return timed(kind, bytes, allocate);
        }
        void* const block = allocate();
        if (block != nullptr) {
            log_->allocated(kind, bytes, block, from_);
        }
        return block;
    }

    /// Returns: null, because the recorder leaves all requests to the program's own operators.
    static void* instead_of_library(record_kind, std::size_t) noexcept { return nullptr; }

    /// Effects: records a block that came from an operator of one of the program's libraries. The requests below it are
    /// recorded too; the reader recognises both as one block.
    void came_from_library(record_kind kind, std::size_t bytes, void* block) noexcept {
        allocated(kind, bytes, [block] { return block; });
    }

    /// Effects: records that `block` is passed to an operator of one of the program's libraries. The requests below it are
    /// recorded too.
    /// Returns: false, because the recorder leaves all requests to the program's own operators.
    bool was_freed_instead_of_library(record_kind kind, void* block) noexcept {
        if (log_ != nullptr && block != nullptr) {
            record_end(kind, block);
        }
        return false;
    }

    /// Effects: records the end of `block` before the call, so that no other thread's event with its address is earlier.
    template <typename Free>
    [[gnu::always_inline]] void freed(record_kind kind, void* block, Free free) noexcept {
        if (log_ != nullptr && block != nullptr) {
            if (log_->is_sample(the_recording.time_one_in)) [[unlikely]] {
                free_timed(kind, block, free);
                return;
            }
            record_end(kind, block);
        }
        free();
    }

    /// Returns: the result of `reallocate`, and records it. The end of the old block is recorded before the call, the new block
    /// after it: in between another thread may get the old one.
    template <typename Reallocate>
    [[gnu::always_inline]] void* reallocated(void* old, std::size_t bytes, Reallocate reallocate) noexcept {
        const bool old_is_recorded =
            log_ != nullptr && old != nullptr && record_end(record_kind::realloc_old, old);
        void* const block = allocated(record_kind::realloc, bytes, reallocate);
        if (log_ != nullptr && old != nullptr && block == nullptr && bytes != 0) {
            log_->reallocation_failed(old, old_is_recorded, from_);
        }
        return block;
    }

    /// Effects: records a control call that took `ticks`.
    void controlled(record_kind kind, std::uint64_t ticks) noexcept {
        if (log_ != nullptr) {
            const std::uint64_t begin = time_stamp();
            log_->controlled(kind, from_);
            log_->write_ticks(ticks, time_stamp() - begin);
        }
    }

    [[nodiscard]] thread_log* log() const noexcept { return log_; }
    [[nodiscard]] caller from() const noexcept { return from_; }

private:
    /// Effects: records the end of a block, a large one's resident pages first. They are counted here, because freed() would need
    /// more of the program's stack.
    /// Returns: true if it was recorded.
    [[gnu::always_inline]] bool record_end(record_kind kind, const void* block) noexcept {
        if (the_recording.large.any()) [[unlikely]] {
            log_->write_resident(block);
        }
        return log_->freed(kind, block, from_);
    }

    template <typename Allocate>
    void* timed(record_kind kind, std::size_t bytes, Allocate allocate) noexcept {
        const std::uint64_t start = ordered_time_stamp();
        void* const block = allocate();
        const std::uint64_t end = ordered_time_stamp();
        if (block != nullptr && log_->allocated(kind, bytes, block, from_)) {
            log_->write_ticks(end - start, time_stamp() - end);
        }
        return block;
    }

    template <typename Free>
    void free_timed(record_kind kind, void* block, Free free) noexcept {
        const std::uint64_t begin = time_stamp();
        const bool recorded = record_end(kind, block);
        const std::uint64_t call_begin = ordered_time_stamp();
        free();
        if (recorded) {
            log_->write_ticks(ordered_time_stamp() - call_begin, call_begin - begin);
        }
    }

    thread_log* log_;
    caller from_;
};

} // namespace mallard::recorder
