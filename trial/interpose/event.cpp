#include "trial/interpose/event.hpp"

#include "recorder/interpose/next_allocator.hpp"

namespace mallard::trial {

void wait_a_little() noexcept {
    // Reading a clock takes longer than the delay may be.
    for (std::uint64_t turns = the_trial.delay_turns; turns != 0; --turns) {
        asm volatile("" : "+r"(turns));
    }
}

/// Returns: a block with the contents of `old`, which is free then; null if there is none, and `old` is still there.
void* event::move(void* old, std::size_t bytes) noexcept {
    const std::size_t room = server::bytes_of(old);
    const server* const mine = thread_state::its_server();
    if (bytes == 0) {
        server::deallocate(old, mine);
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
    server::deallocate(old, mine);
    if (state_ != nullptr) {
        ++state_->blocks().counted().moved;
    }
    return block;
}

} // namespace mallard::trial
