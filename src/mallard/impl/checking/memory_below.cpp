#include "memory_below.hpp"

#include "block_record.hpp"

#include <mallard/impl/checking/block_registry.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

namespace mallard::checking { inline namespace MALLARD_LIBRARY {

namespace {

struct word {
    std::atomic<std::uint64_t> holder{0};
    std::atomic<const std::byte*> begin{nullptr};
    std::atomic<const std::byte*> end{nullptr};
    std::atomic<allocator_call> taken_by{allocator_call::none};
};

constexpr std::size_t most_words = 64;

constinit std::array<word, most_words> words{};
constinit std::atomic<std::size_t> words_written{0};
constinit std::atomic<std::uint64_t> last_id{0};

} // namespace

std::uint64_t new_holder_id() noexcept {
    return last_id.fetch_add(1, std::memory_order_relaxed) + 1;
}

void post_message(std::uint64_t holder, const memory_below& taken) noexcept {
    word& w = words[words_written.fetch_add(1) % most_words];
    w.holder.store(0);
    w.begin.store(taken.begin);
    w.end.store(taken.end);
    w.taken_by.store(taken.taken_by);
    w.holder.store(holder);
}

std::optional<memory_below> take_message(std::uint64_t holder) noexcept {
    // A registry without an id holds no block yet, and a word without a holder is not in use.
    if (holder == 0 || words_written.load(std::memory_order_relaxed) == 0) [[likely]] {
        return std::nullopt;
    }
    for (word& w : words) {
        std::uint64_t expected = holder;
        if (w.holder.load() != holder) {
            continue;
        }
        const memory_below taken{.begin = w.begin.load(), .end = w.end.load(), .taken_by = w.taken_by.load()};
        if (w.holder.compare_exchange_strong(expected, 0)) {
            return taken;
        }
    }
    return std::nullopt;
}

void block_registry::report_taken_block(const record& r, allocator_call by) const noexcept {
    if (r.holder != 0 && r.holder != id_) {
        post_message(r.holder, {.begin = r.block, .end = r.block + r.bytes, .taken_by = by});
    }
}

block_registry::record* block_registry::oldest_between(const record_list& list, const std::byte* begin,
                                                       const std::byte* end) const noexcept {
    record* r = list.oldest;
    while (r != nullptr && (r->block < begin || r->block >= end)) {
        r = r->younger;
    }
    return r;
}

/// Effects: reports blocks in memory that the upstream took back, and forgets them. It does not touch that
/// memory.
void block_registry::expect_memory_below(allocator_call by) noexcept {
    bool reported = false;
    while (const std::optional<memory_below> taken = take_message(id_)) {
        for (record_list* list : {&live_, &quarantine_}) {
            while (record* const lost = oldest_between(*list, taken->begin, taken->end)) {
                if (!std::exchange(reported, true)) {
                    misuse_report report = lost->report(misuse::released_below, by);
                    report.ended_by = taken->taken_by;
                    report_misuse(report);
                }
                if (list == &quarantine_) {
                    quarantine_bytes_ -= to_outer(*lost).bytes;
                }
                lost->ended_by = taken->taken_by;
                bury(lost, *list);
            }
        }
    }
}

}} // namespace mallard::checking::MALLARD_LIBRARY
