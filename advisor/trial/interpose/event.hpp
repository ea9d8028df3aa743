/// One call of the allocator, which the trial serves if the caller is inside of the scope.
#pragma once

#include "recorder/interpose/interposed.hpp"
#include "trace/raw_record.hpp"
#include "trial/interpose/thread_state.hpp"
#include "trial/trial.hpp"

#include <cstring>

namespace mallard::trial {

using trace::record_kind;

/// Effects: takes the time of the setting. A program that it does not slow down does not wait for its allocator.
void delay() noexcept;

class event {
public:
    [[gnu::always_inline]] explicit event(recorder::arch::call_frame frame) noexcept
        : state_(thread_state::mine()), from_(caller::from_frame(frame)) {}

    event(const event&) = delete;
    event& operator=(const event&) = delete;

    /// Returns: a block of the trial if the caller is inside of the scope and the trial can serve the request; else
    /// the result of `allocate`.
    template <typename Allocate>
    [[gnu::always_inline]] void* allocated(record_kind kind, std::size_t bytes, Allocate allocate) noexcept {
        if (state_ != nullptr) {
            if (state_->inside(from_)) {
                if (void* const block = serve(kind, bytes)) {
                    return block;
                }
            } else {
                ++state_->blocks().counted().elsewhere;
            }
        } else {
            thread_state::notice_unloads(from_);
        }
        return allocate();
    }

    /// Returns: a block of the trial inside of the scope; null if a library of the program has to serve the request.
    void* instead_of_library(record_kind kind, std::size_t bytes) noexcept {
        return allocated(kind, bytes, []() -> void* { return nullptr; });
    }
    static void came_from_library(record_kind, std::size_t, void*) noexcept {}
    /// Returns: true if the block was the trial's, and was freed; false if a library of the program has to free it.
    static bool was_freed_instead_of_library(record_kind, void* block) noexcept {
        const bool is_ours = the_region.holds(block);
        if (is_ours) {
            thread_arena::deallocate(block, thread_state::current_arena());
        }
        return is_ours;
    }

    template <typename Free>
    [[gnu::always_inline]] void freed(record_kind, void* block, Free free) noexcept {
        if (the_trial.settings.delay_ns != 0 && state_ != nullptr && state_->inside(from_)) [[unlikely]] {
            ++state_->blocks().counted().delayed_frees;
            delay();
        }
        if (the_region.holds(block)) {
            thread_arena::deallocate(block, thread_state::current_arena());
        } else {
            free();
        }
    }

    template <typename Reallocate>
    [[gnu::always_inline]] void* reallocated(void* old, std::size_t bytes, Reallocate reallocate) noexcept {
        if (the_region.holds(old)) [[unlikely]] {
            return move(old, bytes);
        }
        // A block of the global allocator is not moved.
        return old == nullptr ? allocated(record_kind::realloc, bytes, reallocate) : reallocate();
    }

private:
    [[gnu::always_inline]] void* serve(record_kind kind, std::size_t bytes) noexcept {
        if (the_trial.settings.delay_ns != 0) [[unlikely]] {
            delay();
        }
        thread_arena& arena = state_->blocks();
        arena.counted().last_bytes = bytes;
        arena.counted().last_caller = from_.return_address();
        if (is_aligned_request(kind)) {
            ++arena.counted().aligned;
            return nullptr;
        }
        void* const block = arena.allocate(bytes);
        // Reused memory is not zero.
        if (kind == record_kind::calloc && block != nullptr) {
            std::memset(block, 0, bytes);
        }
        return block;
    }

    static constexpr bool is_aligned_request(record_kind kind) noexcept {
        return kind == record_kind::aligned || kind == record_kind::aligned_new_object ||
               kind == record_kind::aligned_new_array;
    }

    [[gnu::noinline]] void* move(void* old, std::size_t bytes) noexcept;

    thread_state* state_;
    caller from_;
};

} // namespace mallard::trial

namespace mallard::recorder {
using trace::record_kind;
using trial::event;
} // namespace mallard::recorder
