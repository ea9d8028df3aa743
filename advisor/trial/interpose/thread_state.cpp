#include "trial/interpose/thread_state.hpp"

#include "recorder/system/sandbox.hpp"
#include "recorder/system/thread.hpp"
#include "recorder/system/wiped_memory.hpp"

#include <sys/mman.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <new>

namespace mallard::trial {

namespace {

constinit std::atomic<thread_state*> all_states{nullptr};

constinit recorder::thread_end end_of_threads([](void* state) {
    static_cast<thread_state*>(state)->thread_ends();
});

alignas(thread_state) constinit std::array<std::byte, sizeof(thread_state)> zeros{};

thread_state* closed_state() noexcept {
    return std::launder(reinterpret_cast<thread_state*>(zeros.data()));
}

} // namespace

constinit thread_local thread_state* thread_state::current = nullptr;

thread_state* thread_state::open() noexcept {
    if (recorder::lacks_stack()) {
        return nullptr;
    }
    if (current != nullptr && current->opened_) {
        return current;
    }
    // A thread whose state is not open is about to end, or runs in the child of a fork.
    // A sandbox does not allow to map memory for a state.
    if (current != nullptr || recorder::in_sandbox() || !the_trial.on()) {
        return nullptr;
    }
    current =
        closed_state(); // until the new state is ready, or permanently if there is no arena or no memory
    thread_arena* const arena = thread_arena::acquire(the_trial.settings, *the_trial.results);
    if (arena == nullptr) {
        return nullptr;
    }
    thread_state* const state = acquire();
    if (state == nullptr) {
        arena->release();
        return nullptr;
    }
    state->arena_ = arena;
    state->opened_ = true;
    state->watch_stack();
    current = state;
    // If the program has used up all keys, the state stays open, and its arena is lost with the thread.
    static_cast<void>(end_of_threads.expect(state));
    return state;
}

thread_state* thread_state::acquire() noexcept {
    for (thread_state* state = all_states.load(std::memory_order_acquire); state != nullptr;
         state = state->next_) {
        bool taken = false;
        if (state->taken_.compare_exchange_strong(taken, true, std::memory_order_acq_rel)) {
            state->detector_.forget();
            state->open_ = 0;
            state->busy_ = false;
            return state;
        }
    }
    void* const memory = recorder::memory_wiped_at_fork(sizeof(thread_state));
    if (memory == nullptr) {
        return nullptr;
    }
    auto* const state = new (memory) thread_state;
    if (!state->detector_.open()) {
        ::munmap(memory, sizeof(thread_state));
        return nullptr;
    }
    state->next_ = all_states.load(std::memory_order_relaxed);
    while (!all_states.compare_exchange_weak(state->next_, state, std::memory_order_release)) {
    }
    return state;
}

void thread_state::thread_ends() noexcept {
    if (!opened_) {
        return;
    }
    opened_ = ready_ = false;
    thread_arena* const arena = arena_;
    arena_ = nullptr;
    // Blocks that are freed from here on are returned to the arena like those of another thread.
    current = closed_state();
    arena->release();
    taken_.store(false, std::memory_order_release);
}

bool thread_state::inside(caller from) noexcept {
    const std::uint64_t caller_address = from.return_address();
    the_trial.notice_unloads(caller_address);
    if (the_trial.unloaded.from_loader(caller_address)) {
        return false; // what the loader keeps for a file or a thread outlives every scope
    }
    if (the_trial.settings.by != detection::stack) {
        // A longjmp may have left the scope without an end.
        if (open_ > 0 && from.slot > outermost_) {
            open_ = 0;
        }
        return open_ > 0;
    }
    if (busy_) {
        return false;
    }
    busy_ = true;
    std::uint32_t outcome = rule_row::unknown;
    if (!the_trial.scope_tree.empty()) {
        outcome = the_trial.scope_tree.find(0, caller_address);
        if (outcome >= rule_row::first_node) {
            outcome = detector_.walk(from, outcome, the_trial.rules, the_trial.scope_tree);
        }
    }
    bool is_inside = outcome == rule_row::inside;
    if (outcome == rule_row::unknown) {
        is_inside = unwind(from);
    }
    busy_ = false;
    return is_inside;
}

void thread_state::notice_unloads(caller from) noexcept {
    the_trial.notice_unloads(from.return_address());
}

bool thread_state::unwind(caller from) noexcept {
    ++arena_->counted().by_stack;
    return detector_.inside(from, the_trial.rules, the_trial.code, the_trial.except);
}

void thread_state::begins(caller from) noexcept {
    if (open_ == 0 || from.slot > outermost_) {
        open_ = 0, outermost_ = from.slot;
    }
    ++open_;
}

} // namespace mallard::trial
