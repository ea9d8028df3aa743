#include "../../platform/memory.hpp"
#include "../../platform/threads.hpp"

#include <mallard/impl/threads/process_mark.hpp>

#include <cstddef>
#include <new>

namespace mallard::threads { inline namespace MALLARD_LIBRARY {

namespace {

constexpr unsigned generation_shift = 32;

process_mark::entry to_entry(std::uint64_t word) noexcept {
    return {.generation = static_cast<std::uint32_t>(word >> generation_shift),
            .process = static_cast<std::int32_t>(static_cast<std::uint32_t>(word))};
}

std::uint64_t word_for(process_mark::entry e) noexcept {
    return std::uint64_t{e.generation} << generation_shift | static_cast<std::uint32_t>(e.process);
}

/// The system rounds this up to a page.
constexpr std::size_t word_bytes = sizeof(std::uint64_t);

} // namespace

constinit process_mark this_process;

process_mark::entry process_mark::current() noexcept {
    word& at = find_word();
    std::uint64_t seen = at.load(std::memory_order_acquire);
    while (seen == 0 || (&at == &unwiped_ && to_entry(seen).process != platform::this_process())) {
        const entry begun{.generation = last_generation_.fetch_add(1, std::memory_order_relaxed) + 1,
                          .process = platform::this_process()};
        if (at.compare_exchange_strong(seen, word_for(begun), std::memory_order_acq_rel)) {
            return begun;
        }
    }
    return to_entry(seen);
}

process_mark::word& process_mark::find_word() noexcept {
    word* current = word_.load(std::memory_order_acquire);
    if (current == nullptr) [[unlikely]] {
        void* const page = platform::map_wiped_page(word_bytes);
        word* const added = page != nullptr ? ::new (page) word(0) : &unwiped_;
        if (word_.compare_exchange_strong(current, added, std::memory_order_acq_rel)) {
            return *added;
        }
        if (page != nullptr) {
            platform::unmap_wiped_page(page, word_bytes);
        }
    }
    return *current;
}

void threads_inside::enter() noexcept {
    const std::uint64_t none = word_for({.generation = this_process.current().generation, .process = 0});
    std::uint64_t seen = count_.load(std::memory_order_relaxed);
    while (!count_.compare_exchange_weak(seen, (seen < none ? none : seen) + 1, std::memory_order_relaxed)) {
    }
}

bool threads_inside::any() const noexcept {
    const std::uint64_t seen = count_.load(std::memory_order_acquire);
    return static_cast<std::uint32_t>(seen) != 0 &&
           to_entry(seen).generation == this_process.current().generation;
}

}} // namespace mallard::threads::MALLARD_LIBRARY
