#include "equipment/ledger.hpp"

#include <mallard/core/failure.hpp>
#include <mallard/core/sanitizer.hpp>

#include <algorithm>
#include <cstring>
#include <new>
#include <sstream>
#include <string>

namespace equipment {

namespace {

constexpr std::size_t guard_bytes = 32;
constexpr auto guard = std::byte{0xE7};
constexpr int fresh = 0xA5;
constexpr int returned = 0xDD;

/// The first odd multiple of the alignment that leaves room for a guard.
std::size_t block_offset(std::size_t alignment) {
    const std::size_t multiple = (guard_bytes + alignment - 1) / alignment;
    return (multiple | 1) * alignment;
}

std::size_t guarded_bytes(ledger::request r) {
    return block_offset(r.alignment) + r.bytes + guard_bytes;
}

bool is_guard(const std::byte* begin, const std::byte* end) {
    return std::all_of(begin, end, [](std::byte b) { return b == guard; });
}

bool still_poisoned([[maybe_unused]] std::byte* p, [[maybe_unused]] std::size_t bytes) {
#ifdef MALLARD_ASAN
    return __asan_region_is_poisoned(p, bytes) != nullptr;
#else
    return false;
#endif
}

std::string to_text(ledger::request r) {
    std::ostringstream text;
    text << r.bytes << " bytes at alignment " << r.alignment;
    return text.str();
}

} // namespace

ledger::~ledger() {
    for (const auto& [p, block] : taken_) {
        mallard::core::unpoison(p, block.as.bytes);
        ::operator delete(block.base, std::align_val_t{2 * block.as.alignment});
    }
}

void* ledger::allocate(std::size_t bytes, std::size_t alignment) {
    ++requests_of_plan_;
    const bool planned =
        plan_.at != 0 && (requests_of_plan_ == plan_.at || (plan_.for_ever && requests_of_plan_ > plan_.at));
    failed_ = failed_ || planned;
    if (planned || bytes > limit_bytes_ || alignment > limit_bytes_) {
        mallard::core::fail_allocation(bytes, alignment);
    }
    const request as{bytes, alignment};
    auto* base = static_cast<std::byte*>(::operator new(guarded_bytes(as), std::align_val_t{2 * alignment}));
    std::byte* p = base + block_offset(alignment);
    std::fill(base, p, guard);
    std::memset(p, fresh, bytes);
    std::fill_n(p + bytes, guard_bytes, guard);
    taken_.emplace(p, taken{as, base});
    granted_.push_back(as);
    outstanding_bytes_ += bytes;
    return p;
}

#ifndef __cpp_exceptions
void* ledger::try_allocate(std::size_t bytes, std::size_t alignment) noexcept {
    const std::size_t next = requests_of_plan_ + 1;
    const bool planned = plan_.at != 0 && (next == plan_.at || (plan_.for_ever && next > plan_.at));
    if (planned || bytes > limit_bytes_ || alignment > limit_bytes_ || bytes > SIZE_MAX / 8) {
        requests_of_plan_ = next;
        failed_ = failed_ || planned;
        return nullptr;
    }
    return allocate(bytes, alignment);
}
#endif

void ledger::deallocate(void* p, std::size_t bytes, std::size_t alignment) noexcept {
    auto* const block = static_cast<std::byte*>(p);
    const auto entry = taken_.find(block);
    if (entry == taken_.end()) {
        complain(p, "given back, but not taken from here or given back before");
        return;
    }
    const taken& was = entry->second;
    look_at(block, was, {bytes, alignment});
    mallard::core::unpoison(block, was.as.bytes);
    std::memset(block, returned, was.as.bytes);
    outstanding_bytes_ -= was.as.bytes;
    ::operator delete(was.base, std::align_val_t{2 * was.as.alignment});
    taken_.erase(entry);
}

std::vector<std::span<const std::byte>> ledger::blocks() const {
    std::vector<std::span<const std::byte>> blocks;
    for (const auto& [p, block] : taken_) {
        blocks.emplace_back(p, block.as.bytes);
    }
    return blocks;
}

void ledger::fail(mallard::failure_plan plan) noexcept {
    plan_ = plan;
    requests_of_plan_ = 0;
    failed_ = false;
}

void ledger::look_at(const std::byte* p, const taken& block, request returned_as) {
    if (returned_as != block.as) {
        complain(p, "taken as " + to_text(block.as) + ", given back as " + to_text(returned_as));
    }
    if (!is_guard(block.base, p)) {
        complain(p, "written in front of its beginning");
    }
    if (!is_guard(p + block.as.bytes, p + block.as.bytes + guard_bytes)) {
        complain(p, "written past its end");
    }
    if (still_poisoned(const_cast<std::byte*>(p), block.as.bytes)) {
        complain(p, "given back with poisoned bytes");
    }
}

void ledger::complain(const void* p, const std::string& complaint) {
    std::ostringstream text;
    text << "block " << p << ": " << complaint;
    complaints_.push_back(text.str());
}

} // namespace equipment
