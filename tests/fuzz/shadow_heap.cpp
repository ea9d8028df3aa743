#include "fuzz/shadow_heap.hpp"

#include <mallard/core/alignment.hpp>

#include <algorithm>
#include <cstring>
#include <iterator>

namespace fuzz {

namespace {

constexpr std::size_t tag_bytes = sizeof(std::uint64_t);

std::uintptr_t address(const void* p) {
    return reinterpret_cast<std::uintptr_t>(p);
}

std::uint64_t word_at(std::uintptr_t at, std::uint64_t stamp) {
    return (at ^ stamp << 40) * 0x9E3779B97F4A7C15U;
}

/// Effects: fills [begin, end) with aligned words; the first and last word may be partial.
void write(std::byte* begin, std::byte* end, std::uint64_t stamp) {
    for (std::byte* at = begin; at != end;) {
        const std::size_t into = address(at) % tag_bytes;
        const std::size_t bytes = std::min(tag_bytes - into, static_cast<std::size_t>(end - at));
        const std::uint64_t word = word_at(address(at) - into, stamp);
        std::memcpy(at, reinterpret_cast<const std::byte*>(&word) + into, bytes);
        at += bytes;
    }
}

bool is_written(const std::byte* begin, const std::byte* end, std::uint64_t stamp) {
    for (const std::byte* at = begin; at != end;) {
        const std::size_t into = address(at) % tag_bytes;
        const std::size_t bytes = std::min(tag_bytes - into, static_cast<std::size_t>(end - at));
        const std::uint64_t word = word_at(address(at) - into, stamp);
        if (std::memcmp(at, reinterpret_cast<const std::byte*>(&word) + into, bytes) != 0) {
            return false;
        }
        at += bytes;
    }
    return true;
}

} // namespace

/// Empty blocks have distinct addresses too.
const char* shadow_heap::place(const block& b) {
    if (!mallard::core::is_aligned(b.p, b.alignment)) {
        return "a misaligned block";
    }
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
    bytes_ += b.bytes;
    return nullptr;
}

void shadow_heap::displace(const block& b) {
    intervals_.erase(address(b.p));
    bytes_ -= b.bytes;
}

const char* shadow_heap::add(void* p, std::size_t bytes, std::size_t requested_bytes, std::size_t alignment) {
    if (bytes < requested_bytes) {
        return "a block that is too small";
    }
    const block b{static_cast<std::byte*>(p), bytes, requested_bytes, alignment, next_stamp_++};
    if (const char* const wrong = place(b)) {
        return wrong;
    }
    write(b.p, b.p + bytes, b.stamp);
    blocks_.push_back(b);
    return nullptr;
}

const char* shadow_heap::resize(std::size_t i, void* p, std::size_t bytes, std::size_t requested_bytes) {
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
    std::byte* const begin = std::max(old_block.p, new_block.p);
    std::byte* const end = std::min(old_block.p + old_block.bytes, new_block.p + new_block.bytes);
    if (end < begin || new_block.p > old_block.p) {
        return "a block that grew to another place";
    }
    if (!is_written(begin, end, new_block.stamp)) {
        return "bytes that changed when a block got another size";
    }
    write(new_block.p, begin, new_block.stamp);
    write(end, new_block.p + new_block.bytes, new_block.stamp);
    return nullptr;
}

const char* shadow_heap::remove(std::size_t i) {
    const char* const wrong = look_at(i);
    displace(blocks_[i]);
    blocks_[i] = blocks_.back();
    blocks_.pop_back();
    return wrong;
}

void shadow_heap::clear() {
    intervals_.clear();
    blocks_.clear();
    bytes_ = 0;
}

const char* shadow_heap::look_at(std::size_t i) const {
    const block& b = blocks_[i];
    return is_written(b.p, b.p + b.bytes, b.stamp) ? nullptr : "bytes that changed in a live block";
}

const char* shadow_heap::look_at_all() const {
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
        if (const char* const wrong = look_at(i)) {
            return wrong;
        }
    }
    return nullptr;
}

const std::uintptr_t* shadow_heap::find_end(const void* p) const {
    const auto match = intervals_.find(address(p));
    return match == intervals_.end() ? nullptr : &match->second;
}

} // namespace fuzz
