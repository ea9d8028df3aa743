#include "trial/interpose/event.hpp"

#include "recorder/interpose/allocator_functions.hpp"

#include <atomic>
#include <cstddef>

namespace mallard::trial {

history::allocator malloc_in_use() noexcept {
    return {recorder::next().malloc, recorder::next().free};
}

namespace {

/// Returns: the usable size of a block of the global allocator; 0 if that has no function for it.
std::size_t usable_bytes_of_global(void* block) noexcept {
    using function = std::size_t (*)(void*);
    // Without a compiler's guard, which a fork during the first call would leave locked in the child.
    static constinit std::atomic<function> next{nullptr};
    function function_pointer = next.load(std::memory_order_relaxed);
    if (function_pointer == nullptr) {
        function_pointer = reinterpret_cast<function>(::dlsym(RTLD_NEXT, "malloc_usable_size"));
        next.store(function_pointer, std::memory_order_relaxed);
    }
    return function_pointer == nullptr ? 0 : function_pointer(block);
}

} // namespace

/// Returns: a block with the contents of `old`, which is freed; null if there is no memory, and `old` is unchanged.
void* event::move(recorder::arch::call_frame frame, void* old, std::size_t bytes) noexcept {
    const std::size_t room = thread_arena::usable_bytes(old);
    const thread_arena* const local = thread_state::current_arena();
    if (bytes == 0) {
        thread_arena::deallocate(old, local);
        return nullptr;
    }
    if (thread_arena::resize(old, bytes, local)) {
        return old;
    }
    thread_state* const state = thread_state::mine();
    const caller from = caller::from_frame(frame);
    void* block = state != nullptr && state->inside(from)
                      ? serve(*state, from.return_address(), record_kind::realloc, bytes)
                      : nullptr;
    if (block == nullptr) {
        block = recorder::next().malloc(bytes);
    }
    if (block == nullptr) {
        return nullptr;
    }
    std::memcpy(block, old, bytes < room ? bytes : room);
    thread_arena::deallocate(old, local);
    if (state != nullptr) {
        ++state->blocks().counted().moved;
    }
    return block;
}

/// A block within the room stays where it is, also if it shrinks: its array is filled again, or about to end. A block that has
/// outgrown the room is no longer looked after. Every strategy looks up the room, because a program that reserves makes no such
/// call: relative to the null, only the work of the global allocator is saved.
void* event::reserve(thread_state& state, std::uint64_t return_address, void* old,
                     std::size_t bytes) noexcept {
    const std::size_t reserved = the_trial.settings.reserved_bytes;
    const std::size_t room = old == nullptr ? 0 : usable_bytes_of_global(old);
    const strategy& served_by = *the_trial.settings.served_by;
    counts& counted = state.blocks().counted();
    if (!served_by.reserves) {
        counted.in_null += served_by.largest_bytes == 0 ? 1 : 0;
        return nullptr;
    }
    state.blocks().note_request(bytes, return_address);
    if (bytes == 0 || bytes > reserved || room / 2 > reserved) {
        ++counted.too_large;
        return nullptr;
    }
    void* const block = bytes <= room ? old : recorder::next().realloc(old, reserved);
    if (block == nullptr) {
        ++counted.no_room;
        return nullptr;
    }
    ++counted.served;
    counted.served_bytes += bytes;
    return block;
}

} // namespace mallard::trial

/// The only function of the malloc family that inspects a block.
MALLARD_INTERPOSED std::size_t malloc_usable_size(void* block) noexcept {
    if (mallard::trial::the_region.holds(block)) {
        return mallard::trial::thread_arena::usable_bytes(block);
    }
    return mallard::trial::usable_bytes_of_global(block);
}

namespace mallard::recorder {

// A thread without a state is not served in a sandbox, and arenas get no more addresses.
void prepare_for_sandbox() noexcept {
    if (auto* const state = trial::thread_state::mine()) {
        state->prepare_for_sandbox(unwind::caller::from_frame(MALLARD_FRAME));
    }
}

void watch_stack() noexcept {
    if (auto* const state = trial::thread_state::mine()) {
        state->watch_stack();
    }
}

void note_end() noexcept {
    trial::the_trial.note_end();
}

void count_programs(int programs) noexcept {
    trial::the_trial.note_programs(programs);
}

void forget_registered_code() noexcept {
    trial::the_trial.forget_code();
}

} // namespace mallard::recorder
