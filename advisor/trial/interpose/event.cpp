#include "trial/interpose/event.hpp"

#include "recorder/interpose/next_allocator.hpp"

namespace mallard::trial {

void delay() noexcept {
    // Reading a clock may take longer than the delay.
    for (std::uint64_t iterations = the_trial.delay_iterations; iterations != 0; --iterations) {
        asm volatile("" : "+r"(iterations));
    }
}

/// Returns: a block with the contents of `old`, which is freed; null if there is no memory, and `old` is unchanged.
void* event::move(void* old, std::size_t bytes) noexcept {
    const std::size_t room = thread_arena::usable_bytes(old);
    const thread_arena* const local = thread_state::current_arena();
    if (bytes == 0) {
        thread_arena::deallocate(old, local);
        return nullptr;
    }
    if (bytes <= room && bytes > room / 2) {
        return old;
    }
    void* block = state_ != nullptr && state_->inside(from_) ? serve(record_kind::realloc, bytes) : nullptr;
    if (block == nullptr) {
        block = recorder::next().malloc(bytes);
    }
    if (block == nullptr) {
        return nullptr;
    }
    std::memcpy(block, old, bytes < room ? bytes : room);
    thread_arena::deallocate(old, local);
    if (state_ != nullptr) {
        ++state_->blocks().counted().moved;
    }
    return block;
}

} // namespace mallard::trial
