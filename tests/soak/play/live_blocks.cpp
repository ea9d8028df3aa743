#include "soak/play/live_blocks.hpp"

#include "soak/play/random_numbers.hpp"

#include <algorithm>
#include <cstring>

namespace soak {

namespace {

constexpr std::size_t tag_bytes = sizeof(std::uint64_t);
constexpr std::size_t edge_words = 8; ///< at each end
constexpr std::size_t full_bytes = 2 * edge_words * tag_bytes;

/// Effects: calls `f(offset, bytes)` for each written part of a block of `block_bytes` bytes, until `f` returns false.
/// Returns: false if `f` returned false.
template <class F>
bool for_each_part(std::size_t block_bytes, F f) {
    const std::size_t words = block_bytes / tag_bytes;
    const std::size_t head = block_bytes <= full_bytes ? words : edge_words;
    for (std::size_t i = 0; i != head; ++i) {
        if (!f(i * tag_bytes, tag_bytes)) {
            return false;
        }
    }
    if (head != words) {
        const std::size_t step = block_bytes <= 4096 ? 64 : 512;
        const std::size_t tail = (words - edge_words) * tag_bytes;
        for (std::size_t at = full_bytes / 2; at < tail; at += step) {
            if (!f(at, tag_bytes)) {
                return false;
            }
        }
        for (std::size_t i = words - edge_words; i != words; ++i) {
            if (!f(i * tag_bytes, tag_bytes)) {
                return false;
            }
        }
    }
    const std::size_t tail_bytes = block_bytes % tag_bytes;
    return tail_bytes == 0 || f(words * tag_bytes, tail_bytes);
}

std::uint64_t word_at(std::uint64_t key, std::size_t offset) {
    return key + offset * 0x9e3779b97f4a7c15;
}

} // namespace

const char* live_blocks::add(void* p, std::size_t bytes, std::size_t alignment) {
    if (p == nullptr) {
        return "no block, and no exception";
    }
    if (reinterpret_cast<std::uintptr_t>(p) % alignment != 0) {
        return "a misaligned block";
    }
    const live_block b{static_cast<std::byte*>(p), bytes, next_mark_++, alignment};
    write(b);
    add_written(b);
    return nullptr;
}

void live_blocks::add_written(const live_block& b) {
    blocks_.push_back(b);
    live_bytes_ += b.bytes;
}

const char* live_blocks::remove(std::size_t i) {
    const char* const wrong = look_at(i);
    live_bytes_ -= blocks_[i].bytes;
    blocks_[i] = blocks_.back();
    blocks_.pop_back();
    return wrong;
}

const char* live_blocks::resize(std::size_t i, void* p, std::size_t bytes, std::size_t kept_bytes) {
    live_block& b = blocks_[i];
    if (const char* const wrong = look_at_first(b, std::min(kept_bytes, b.bytes))) {
        return wrong;
    }
    live_bytes_ += bytes - b.bytes;
    b.p = static_cast<std::byte*>(p);
    b.bytes = bytes;
    write(b);
    return nullptr;
}

const char* live_blocks::look_at_all() {
    for (const live_block& b : blocks_) {
        if (const char* const wrong = look_at_first(b, b.bytes)) {
            return wrong;
        }
    }
    sorted_ = blocks_;
    std::ranges::sort(sorted_, {}, &live_block::p);
    const auto reaches_next = [](const live_block& b, const live_block& next) {
        // Empty blocks have distinct addresses too.
        return static_cast<std::size_t>(next.p - b.p) < std::max<std::size_t>(b.bytes, 1);
    };
    return std::ranges::adjacent_find(sorted_, reaches_next) == sorted_.end() ? nullptr
                                                                              : "blocks that overlap";
}

void live_blocks::forget_from(std::uint64_t mark) {
    std::erase_if(blocks_, [this, mark](const live_block& b) {
        live_bytes_ -= b.mark >= mark ? b.bytes : 0;
        return b.mark >= mark;
    });
}

void live_blocks::clear() noexcept {
    blocks_.clear();
    live_bytes_ = 0;
}

void live_blocks::write(const live_block& b) {
    const std::uint64_t key = mixed(b.mark);
    for_each_part(b.bytes, [&](std::size_t offset, std::size_t bytes) {
        const std::uint64_t word = word_at(key, offset);
        std::memcpy(b.p + offset, &word, bytes);
        return true;
    });
}

const char* live_blocks::look_at_first(const live_block& b, std::size_t limit) {
    const std::uint64_t key = mixed(b.mark);
    const bool intact = for_each_part(b.bytes, [&](std::size_t offset, std::size_t bytes) {
        const std::uint64_t word = word_at(key, offset);
        const std::size_t looked_at = offset < limit ? std::min(bytes, limit - offset) : 0;
        return std::memcmp(b.p + offset, &word, looked_at) == 0;
    });
    return intact ? nullptr : "a block whose bytes changed";
}

} // namespace soak
