#include "trial/interpose/thread_state.hpp"

#include "recorder/system/wiped_memory.hpp"
#include "trial/trial.hpp"

#include <pthread.h>

#include <atomic>
#include <new>

namespace mallard::trial {

namespace {

pthread_key_t end_key() noexcept {
    static constinit pthread_key_t key{};
    static constinit std::atomic<int> made{0};
    int expected = 0;
    if (made.compare_exchange_strong(expected, 1)) {
        ::pthread_key_create(&key, [](void* state) { static_cast<thread_state*>(state)->thread_ends(); });
        made.store(2, std::memory_order_release);
    }
    while (made.load(std::memory_order_acquire) != 2) {
    }
    return key;
}

} // namespace

constinit thread_local thread_state* thread_state::current = nullptr;

thread_state* thread_state::make() noexcept {
    // A thread that has a state, which is not open, is about to end, or is that of the child of a fork.
    if (current != nullptr || !the_trial.on()) {
        return nullptr;
    }
    void* const memory = recorder::memory_wiped_at_fork(sizeof(thread_state));
    if (memory == nullptr) {
        return nullptr;
    }
    auto* const state = new (memory) thread_state;
    state->server_ = server::take(*the_trial.asked.served_by, the_trial.asked.most_bytes, *the_trial.into);
    if (state->server_ == nullptr || !state->detector_.open()) {
        return nullptr;
    }
    current = state;
    state->opened_ = true;
    ::pthread_setspecific(end_key(), state);
    return state;
}

void thread_state::thread_ends() noexcept {
    if (!opened_) {
        return;
    }
    opened_ = false;
    server* const mine = server_;
    server_ = nullptr; // blocks that are freed from here on come back to it as another thread's do
    mine->give_up();
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
    }
    const bool found = detector_.inside(from, the_trial.rules, the_trial.code);
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
