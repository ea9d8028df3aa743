/// One event around one call of the allocator.
#pragma once

#include "recorder/interpose/interposed.hpp"
#include "recorder/log/recording.hpp"
#include "recorder/log/thread_log.hpp"

namespace mallard::recorder {

/// From its beginning to its end the thread is in the recorder, and nothing that it allocates is recorded.
class event {
public:
    [[gnu::always_inline]] explicit event(const void* frame) noexcept
        : log_(thread_log::mine()), from_(caller::of(frame)) {
        if (log_ != nullptr && !log_->enter(from_.slot)) [[unlikely]] {
            log_ = nullptr;
        }
    }
    /// Effects: takes what the recorder needs, before the process restricts its system calls.
    [[gnu::noinline]] static void prepare_for_sandbox() noexcept {
        event now(__builtin_frame_address(0));
        if (now.log_ != nullptr) {
            now.log_->prepare_for_sandbox(now.from_);
        }
    }

    /// Effects: takes note that the thread's alternate stack is another one.
    static void watch_stack() noexcept {
        if (thread_log* const log = thread_log::mine()) {
            log->watch_stack();
        }
    }

    event(const event&) = delete;
    event& operator=(const event&) = delete;
    [[gnu::always_inline]] ~event() {
        if (log_ != nullptr) {
            log_->leave();
        }
    }

    /// Returns: the result of `allocate`, which is recorded.
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

    /// Returns: null, because the recorder leaves each request to the program's own operators.
    static void* instead_of_library(record_kind, std::size_t) noexcept { return nullptr; }

    /// Effects: records a block that an operator of a library of the program gave. The requests that it made below are
    /// recorded too, and the reader sees that both are one block.
    void came_from_library(record_kind kind, std::size_t bytes, void* block) noexcept {
        allocated(kind, bytes, [block] { return block; });
    }

    /// Effects: records that `block` goes to an operator of a library of the program. The requests that it makes below are
    /// recorded too.
    /// Returns: false, because the recorder leaves each request to the program's own operators.
    bool was_freed_instead_of_library(record_kind kind, void* block) noexcept {
        if (log_ != nullptr && block != nullptr) {
            log_->freed(kind, block, from_);
        }
        return false;
    }

    /// Effects: records that `block` goes, before it does: then no other thread's event with its address is earlier.
    template <typename Free>
    [[gnu::always_inline]] void freed(record_kind kind, void* block, Free free) noexcept {
        if (log_ != nullptr && block != nullptr) {
            if (log_->is_sample(the_recording.time_one_in)) [[unlikely]] {
                free_timed(kind, block, free);
                return;
            }
            log_->freed(kind, block, from_);
        }
        free();
    }

    /// Returns: the result of `reallocate`, which is recorded. The old block goes before the call, and the new one comes after
    /// it: between them another thread may get the old one.
    template <typename Reallocate>
    [[gnu::always_inline]] void* reallocated(void* old, std::size_t bytes, Reallocate reallocate) noexcept {
        const bool old_is_recorded =
            log_ != nullptr && old != nullptr && log_->freed(record_kind::realloc_old, old, from_);
        void* const block = allocated(record_kind::realloc, bytes, reallocate);
        if (log_ != nullptr && old != nullptr && block == nullptr && bytes != 0) {
            log_->reallocation_failed(old, old_is_recorded, from_);
        }
        return block;
    }

    [[nodiscard]] thread_log* log() const noexcept { return log_; }
    [[nodiscard]] caller from() const noexcept { return from_; }

private:
    template <typename Allocate>
    void* timed(record_kind kind, std::size_t bytes, Allocate allocate) noexcept {
        const std::uint64_t before = time_stamp();
        void* const block = allocate();
        const std::uint64_t after = time_stamp();
        if (block != nullptr && log_->allocated(kind, bytes, block, from_)) {
            log_->took(without_stamp(after - before), time_stamp() - after);
        }
        return block;
    }

    template <typename Free>
    void free_timed(record_kind kind, void* block, Free free) noexcept {
        const std::uint64_t begin = time_stamp();
        const bool recorded = log_->freed(kind, block, from_);
        const std::uint64_t before = time_stamp();
        free();
        if (recorded) {
            log_->took(without_stamp(time_stamp() - before), before - begin);
        }
    }

    /// Returns: the ticks between two time stamps, without those that a stamp takes. 0 would say that the event was not timed.
    static std::uint64_t without_stamp(std::uint64_t ticks) noexcept {
        return ticks > the_recording.stamp_ticks ? ticks - the_recording.stamp_ticks : 1;
    }

    thread_log* log_;
    caller from_;
};

} // namespace mallard::recorder
