#include "trial/interpose/thread_state.hpp"

#include "recorder/system/sandbox.hpp"
#include "recorder/system/thread_end.hpp"
#include "recorder/system/wiped_memory.hpp"
#include "trial/trial.hpp"

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

thread_state* thread_state::make() noexcept {
    if (recorder::lacks_stack()) {
        return nullptr;
    }
    if (current != nullptr && current->opened_) {
        return current;
    }
    // A thread that has a state, which is not open, is about to end, or is that of the child of a fork.
    // In a sandbox there is no memory for one.
    if (current != nullptr || recorder::in_sandbox() || !the_trial.on()) {
        return nullptr;
    }
    current = closed_state(); // in the meantime, and for good if there is no server or no memory
    server* const its = server::take(*the_trial.asked.served_by, the_trial.asked.most_bytes, *the_trial.into);
    if (its == nullptr) {
        return nullptr;
    }
    thread_state* const state = take();
    if (state == nullptr) {
        its->give_up();
        return nullptr;
    }
    state->server_ = its;
    state->opened_ = true;
    state->watch_stack();
    current = state;
    // If the program has taken all keys, the state stays open, and its server is lost with the thread.
    static_cast<void>(end_of_threads.expect(state));
    return state;
}

thread_state* thread_state::take() noexcept {
    for (thread_state* each = all_states.load(std::memory_order_acquire); each != nullptr;
         each = each->next_) {
        bool taken = false;
        if (each->taken_.compare_exchange_strong(taken, true, std::memory_order_acq_rel)) {
            each->detector_.forget();
            each->open_ = 0;
            each->busy_ = false;
            return each;
        }
    }
    void* const memory = recorder::memory_wiped_at_fork(sizeof(thread_state));
    if (memory == nullptr) {
        return nullptr;
    }
    auto* const made = new (memory) thread_state;
    if (!made->detector_.open()) {
        ::munmap(memory, sizeof(thread_state));
        return nullptr;
    }
    made->next_ = all_states.load(std::memory_order_relaxed);
    while (!all_states.compare_exchange_weak(made->next_, made, std::memory_order_release)) {
    }
    return made;
}

void thread_state::thread_ends() noexcept {
    if (!opened_) {
        return;
    }
    opened_ = ready_ = false;
    server* const mine = server_;
    server_ = nullptr;
    // Blocks that are freed from here on come back to the server as another thread's do.
    current = closed_state();
    mine->give_up();
    taken_.store(false, std::memory_order_release);
}

bool thread_state::inside(caller from) noexcept {
    if (the_trial.asked.by != detection::stack) {
        // A longjmp may have left the scope without a word.
        if (open_ > 0 && from.slot > outermost_) {
            open_ = 0;
        }
        return open_ > 0;
    }
    if (busy_) {
        return false;
    }
    busy_ = true;
    const auto caller_address = *reinterpret_cast<const std::uint64_t*>(from.slot);
    if (the_trial.unloaded.from_loader(caller_address) && the_trial.unloaded.happened()) [[unlikely]] {
        the_trial.rules.clear();
        the_trial.code.clear();
        the_trial.except.clear();
    }
    const bool found = detector_.inside(from, the_trial.rules, the_trial.code, the_trial.except);
    busy_ = false;
    return found;
}

void thread_state::begins(caller from) noexcept {
    if (open_ == 0 || from.slot > outermost_) {
        open_ = 0, outermost_ = from.slot;
    }
    ++open_;
}

} // namespace mallard::trial
