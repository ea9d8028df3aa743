#include "model/shadow.hpp"

#include "model/random_source.hpp"

#include <mallard/core/alignment.hpp>

#include <algorithm>
#include <cstring>
#include <iterator>

namespace model {

namespace {

constexpr std::size_t word_bytes = sizeof(std::uint64_t);
constexpr std::size_t edge_bytes = 8 * word_bytes; ///< written at both ends of a sampled block

std::uintptr_t address(const void* p) {
    return reinterpret_cast<std::uintptr_t>(p);
}

/// Effects: calls `f(at, expected, bytes)` for each aligned word of [begin, end), the first and last of which may be
/// partial, until `f` returns false.
/// Returns: false if `f` returned false.
template <class Byte, class F>
bool for_each_word(Byte* begin, const std::byte* end, std::uint64_t stamp, F f) {
    const std::uint64_t key = mixed(stamp);
    const auto word_at = [key](std::uintptr_t at) { return (at ^ key) * 0x9E3779B97F4A7C15U; };
    for (Byte* at = begin; at != end;) {
        const std::size_t into = address(at) % word_bytes;
        const std::size_t bytes = std::min(word_bytes - into, static_cast<std::size_t>(end - at));
        const std::uint64_t word = word_at(address(at) - into);
        // A constant number of bytes needs no call.
        if (!(bytes == word_bytes ? f(at, &word, word_bytes)
                                  : f(at, reinterpret_cast<const std::byte*>(&word) + into, bytes))) {
            return false;
        }
        at += bytes;
    }
    return true;
}

void write_words(std::byte* begin, const std::byte* end, std::uint64_t stamp) {
    for_each_word(begin, end, stamp, [](std::byte* at, const void* word, std::size_t bytes) {
        std::memcpy(at, word, bytes);
        return true;
    });
}

bool has_words(const std::byte* begin, const std::byte* end, std::uint64_t stamp) {
    return for_each_word(begin, end, stamp, [](const std::byte* at, const void* word, std::size_t bytes) {
        if (bytes != word_bytes) {
            return std::memcmp(at, word, bytes) == 0;
        }
        // A sanitizer would call its own std::memcmp.
        std::uint64_t expected = 0;
        std::uint64_t read = 0;
        std::memcpy(&expected, word, word_bytes);
        std::memcpy(&read, at, word_bytes);
        return read == expected;
    });
}

/// Effects: calls `f(begin, end)` for each written part of a sampled block, until `f` returns false.
/// Returns: false if `f` returned false.
template <class F>
bool for_each_sample(const block& b, F f) {
    std::byte* const end = b.p + b.bytes;
    if (b.bytes <= 2 * edge_bytes) {
        return f(b.p, end);
    }
    const std::size_t step = b.bytes <= 4096 ? 64 : 512;
    if (!f(b.p, b.p + edge_bytes)) {
        return false;
    }
    for (std::size_t at = edge_bytes; at < b.bytes - edge_bytes; at += step) {
        if (!f(b.p + at, std::min(b.p + at + word_bytes, end))) {
            return false;
        }
    }
    return f(end - edge_bytes, end);
}

} // namespace

void block::write() const {
    write_words(p, p + bytes, stamp);
}

bool block::is_intact() const {
    return has_words(p, p + bytes, stamp);
}

/// Empty blocks have distinct addresses too.
const char* shadow::place(const block& b) {
    if (b.p == nullptr) {
        return "no block, and no exception";
    }
    if (!mallard::core::is_aligned(b.p, b.alignment)) {
        return "a misaligned block";
    }
    if (contents_ == detail::complete) {
        const std::uintptr_t begin = address(b.p);
        const std::uintptr_t end = begin + std::max<std::size_t>(b.bytes, 1);
        const auto next = intervals_.lower_bound(begin);
        if (next != intervals_.end() && next->first < end) {
            return "a block that reaches into the next one";
        }
        if (next != intervals_.begin() && std::prev(next)->second > begin) {
            return "a block that begins within another";
        }
        intervals_.emplace_hint(next, begin, end);
    }
    bytes_ += b.bytes;
    return nullptr;
}

void shadow::displace(const block& b) {
    if (contents_ == detail::complete) {
        intervals_.erase(address(b.p));
    }
    bytes_ -= b.bytes;
}

const char* shadow::add(void* p, std::size_t bytes, std::size_t requested_bytes, std::size_t alignment) {
    if (bytes < requested_bytes) {
        return "a block that is too small";
    }
    const block b{static_cast<std::byte*>(p), bytes, requested_bytes, alignment, next_stamp_++};
    const char* const wrong = add_written(b);
    if (wrong == nullptr) {
        write(b);
    }
    return wrong;
}

const char* shadow::add_written(const block& b) {
    const char* const wrong = place(b);
    if (wrong == nullptr) {
        blocks_.push_back(b);
    }
    return wrong;
}

const char* shadow::resize(std::size_t i, void* p, std::size_t bytes, std::size_t requested_bytes) {
    const block old_block = blocks_[i];
    block new_block = old_block;
    new_block.p = static_cast<std::byte*>(p);
    new_block.bytes = bytes;
    new_block.requested_bytes = requested_bytes;
    if (bytes < requested_bytes) {
        return "a block that is too small";
    }
    displace(old_block);
    if (const char* const wrong = place(new_block)) {
        return wrong;
    }
    blocks_[i] = new_block;
    std::byte* const end = std::min(old_block.p + old_block.bytes, new_block.p + new_block.bytes);
    if (end < old_block.p || new_block.p > old_block.p) {
        return "a block that grew to another place";
    }
    if (!is_intact(old_block, old_block.p, end)) {
        return "bytes that changed when a block got another size";
    }
    if (contents_ == detail::complete) {
        write_words(new_block.p, old_block.p, new_block.stamp);
        write_words(end, new_block.p + new_block.bytes, new_block.stamp);
    } else {
        write(new_block);
    }
    return nullptr;
}

const char* shadow::remove(std::size_t i) {
    const char* const wrong = look_at(i);
    displace(blocks_[i]);
    blocks_[i] = blocks_.back();
    blocks_.pop_back();
    return wrong;
}

void shadow::forget_from(std::uint64_t stamp) {
    std::erase_if(blocks_, [this, stamp](const block& b) {
        const bool later = b.stamp >= stamp;
        if (later) {
            displace(b);
        }
        return later;
    });
}

void shadow::clear() noexcept {
    intervals_.clear();
    blocks_.clear();
    bytes_ = 0;
}

const char* shadow::look_at(std::size_t i) const {
    const block& b = blocks_[i];
    return is_intact(b, b.p, b.p + b.bytes) ? nullptr : "bytes that changed in a live block";
}

const char* shadow::look_at_all() const {
    for (std::size_t i = 0; i != blocks_.size(); ++i) {
        if (const char* const wrong = look_at(i)) {
            return wrong;
        }
    }
    if (contents_ == detail::complete) {
        return nullptr;
    }
    sorted_ = blocks_;
    std::ranges::sort(sorted_, {}, &block::p);
    const auto reaches_next = [](const block& b, const block& next) {
        return static_cast<std::size_t>(next.p - b.p) < std::max<std::size_t>(b.bytes, 1);
    };
    return std::ranges::adjacent_find(sorted_, reaches_next) == sorted_.end() ? nullptr
                                                                              : "blocks that overlap";
}

const std::uintptr_t* shadow::find_end(const void* p) const {
    const auto match = intervals_.find(address(p));
    return match == intervals_.end() ? nullptr : &match->second;
}

void shadow::write(const block& b) const {
    if (contents_ == detail::complete) {
        return b.write();
    }
    for_each_sample(b, [&b](std::byte* begin, const std::byte* end) {
        write_words(begin, end, b.stamp);
        return true;
    });
}

/// Returns: true if the written bytes of `b` in [begin, end) are intact.
bool shadow::is_intact(const block& b, const std::byte* begin, const std::byte* end) const {
    if (contents_ == detail::complete) {
        return has_words(begin, end, b.stamp);
    }
    return for_each_sample(b, [&b, begin, end](const std::byte* from, const std::byte* to) {
        from = std::max(from, begin);
        to = std::min(to, end);
        return from >= to || has_words(from, to, b.stamp);
    });
}

} // namespace model
