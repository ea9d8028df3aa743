/// One call of the allocator, which the trial serves if the caller is inside of the scope.
#pragma once

#include "recorder/interpose/interposed.hpp"
#include "trace/raw_record.hpp"
#include "trial/interpose/thread_state.hpp"
#include "trial/trial.hpp"

#include <cstring>

namespace mallard::trial {

using trace::record_kind;

/// The fast paths call nothing but the arena, at their end, so that they need not save registers.
class event {
public:
    [[gnu::always_inline]] explicit event(recorder::arch::call_frame frame) noexcept : frame_(frame) {}

    event(const event&) = delete;
    event& operator=(const event&) = delete;

    /// Returns: a block of the trial if the caller is inside of the scope and the trial can serve the request; else
    /// the result of `allocate`.
    template <typename Allocate>
    [[gnu::always_inline]] void* allocated(record_kind kind, std::size_t bytes, Allocate allocate) noexcept {
        thread_state* const state = thread_state::ready();
        if (state == nullptr) [[unlikely]] {
            return decided_slowly(frame_, kind, bytes, allocate);
        }
        const std::uint64_t return_address = caller::from_frame(frame_).return_address();
        const std::uint32_t outcome = the_trial.scope_tree.find_cached(return_address);
        if (outcome == rule_row::inside) [[likely]] {
            thread_arena& arena = state->blocks();
            if (is_plain(kind) && arena.serves(bytes)) [[likely]] {
                arena.note_request(bytes, return_address);
                return arena.allocate(bytes);
            }
            return served(*state, return_address, kind, bytes, allocate);
        }
        if (outcome == rule_row::outside) {
            return elsewhere(*state, allocate);
        }
        return decided_slowly(frame_, kind, bytes, allocate);
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
        if (the_region.holds(block)) [[likely]] {
            thread_arena::deallocate(block, thread_state::current_arena());
        } else {
            free();
        }
    }

    template <typename Reallocate>
    [[gnu::always_inline]] void* reallocated(void* old, std::size_t bytes, Reallocate reallocate) noexcept {
        if (the_trial.settings.reserved_bytes != 0 && old != nullptr) [[unlikely]] {
            return grown(frame_, old, bytes, reallocate);
        }
        if (the_region.holds(old)) [[unlikely]] {
            return move(frame_, old, bytes);
        }
        // A block of the global allocator is not moved.
        return old == nullptr ? allocated(record_kind::realloc, bytes, reallocate) : reallocate();
    }

private:
    template <typename Allocate>
    [[gnu::noinline]] static void* decided_slowly(recorder::arch::call_frame frame, record_kind kind,
                                                  std::size_t bytes, Allocate allocate) noexcept {
        const caller from = caller::from_frame(frame);
        thread_state* const state = thread_state::mine();
        if (state == nullptr) {
            thread_state::notice_unloads(from);
            the_trial.answer_if_asked();
            return allocate();
        }
        return state->inside(from) ? served(*state, from.return_address(), kind, bytes, allocate)
                                   : elsewhere(*state, allocate);
    }

    /// A request inside of the scope.
    template <typename Allocate>
    [[gnu::noinline]] static void* served(thread_state& state, std::uint64_t return_address, record_kind kind,
                                          std::size_t bytes, Allocate allocate) noexcept {
        const bool may_grow = kind == record_kind::malloc || kind == record_kind::realloc;
        void* const block = may_grow && the_trial.settings.served_by->reserves
                                ? reserve(state, return_address, nullptr, bytes)
                                : serve(state, return_address, kind, bytes);
        return block != nullptr ? block : allocate();
    }

    template <typename Allocate>
    [[gnu::noinline]] static void* elsewhere(thread_state& state, Allocate allocate) noexcept {
        ++state.blocks().counted().elsewhere;
        return allocate();
    }

    /// An array that may grow in the scope, which is looked up under every strategy, so that it costs the same.
    template <typename Reallocate>
    [[gnu::noinline]] static void* grown(recorder::arch::call_frame frame, void* old, std::size_t bytes,
                                         Reallocate reallocate) noexcept {
        const caller from = caller::from_frame(frame);
        thread_state* const state = thread_state::mine();
        const bool is_inside = state != nullptr && state->inside(from);
        if (the_region.holds(old)) {
            return move(frame, old, bytes);
        }
        if (!is_inside) {
            return reallocate();
        }
        void* const block = reserve(*state, from.return_address(), old, bytes);
        return block != nullptr ? block : reallocate();
    }

    /// Effects: gives a growing array the room of the setting, if the strategy reserves; `old` is its block, or null.
    /// Returns: null if the global allocator has to serve the request as without a trial.
    static void* reserve(thread_state& state, std::uint64_t return_address, void* old,
                         std::size_t bytes) noexcept;

    /// Returns: null if the global allocator has to serve the request.
    static void* serve(thread_state& state, std::uint64_t return_address, record_kind kind,
                       std::size_t bytes) noexcept {
        thread_arena& arena = state.blocks();
        arena.note_request(bytes, return_address);
        if (is_aligned_request(kind)) {
            ++arena.counted().aligned;
            return nullptr;
        }
        if (!arena.serves(bytes) && !arena.makes_room(bytes)) {
            return nullptr;
        }
        void* const block = arena.allocate(bytes);
        // Reused memory is not zero.
        if (kind == record_kind::calloc) {
            std::memset(block, 0, bytes);
        }
        return block;
    }

    static constexpr bool is_aligned_request(record_kind kind) noexcept {
        return kind == record_kind::aligned || kind == record_kind::aligned_new_object ||
               kind == record_kind::aligned_new_array;
    }
    static constexpr bool is_plain(record_kind kind) noexcept {
        return !is_aligned_request(kind) && kind != record_kind::calloc;
    }

    [[gnu::noinline]] static void* move(recorder::arch::call_frame frame, void* old,
                                        std::size_t bytes) noexcept;

    /// Of the interposed function. It is read after the function's last call has begun (recorder/CMakeLists.txt).
    recorder::arch::call_frame frame_;
};

} // namespace mallard::trial

namespace mallard::recorder {
using trace::record_kind;
using trial::event;
} // namespace mallard::recorder
