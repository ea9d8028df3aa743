#include <mallard/core/reserved_blocks.hpp>

#include <cstddef>
#include <utility>

namespace mallard {

namespace {

/// Smaller gains are not worth a call to the system.
constexpr std::size_t least_given_back = std::size_t{64} << 10;

} // namespace

heap_block reserved_blocks::allocate(std::size_t bytes) noexcept {
    const std::size_t least = bytes + sizeof(range);
    std::size_t range_bytes =
        align_up(std::max(least_range_bytes, reserve_factor * least), reserved_range::huge_from_bytes);
    std::byte* memory = reserved_range::reserve(range_bytes);
    if (memory == nullptr) {
        range_bytes = align_up(least, reserved_range::huge_from_bytes);
        memory = reserved_range::reserve(range_bytes);
        if (memory == nullptr) {
            return {};
        }
    }
    const std::size_t committed = std::min(reserved_range::rounded(memory, least), range_bytes);
    if (!reserved_range::commit(memory, 0, committed)) {
        reserved_range::give_back(memory, range_bytes);
        return {};
    }
    auto* const r = ::new (memory) range{first_, nullptr, range_bytes, 0, {}, 0};
    if (first_ != nullptr) {
        first_->previous = r;
    }
    first_ = r;
    ++count_;
    set_committed(r, committed);
    poison(&r->word, committed - offsetof(range, word));
    return block_in(r);
}

void reserved_blocks::deallocate(heap_block b) noexcept {
    range* const r = range_of(b);
    (r->previous != nullptr ? r->previous->next : first_) = r->next;
    if (r->next != nullptr) {
        r->next->previous = r->previous;
    }
    --count_;
    committed_bytes_ -= r->committed;
    const std::size_t bytes = r->bytes;
    unpoison(r, r->committed);
    reserved_range::give_back(reinterpret_cast<std::byte*>(r), bytes);
}

bool reserved_blocks::grow(heap_block b, std::size_t least, std::size_t preferred) noexcept {
    range* const r = range_of(b);
    auto* const begin = reinterpret_cast<std::byte*>(r);
    const std::size_t old = r->committed;
    if (least + sizeof(range) <= old) {
        return true;
    }
    if (least > r->bytes - sizeof(range)) {
        return false;
    }
    const auto commit = [&](std::size_t bytes) {
        const std::size_t wanted = std::min(reserved_range::rounded(begin, bytes), r->bytes);
        if (!reserved_range::commit(begin, old, wanted)) {
            return false;
        }
        set_committed(r, wanted);
        poison(begin + old, wanted - old);
        return true;
    };
    const std::size_t most = r->bytes;
    const std::size_t geometric = std::max(least, old + old / 8);
    return commit(std::min(std::max(std::min(preferred, most), geometric) + sizeof(range), most)) ||
           commit(least + sizeof(range));
}

void reserved_blocks::shrink(heap_block b, std::size_t bytes) noexcept {
    range* const r = range_of(b);
    auto* const begin = reinterpret_cast<std::byte*>(r);
    const std::size_t rounded = std::min(reserved_range::rounded(begin, bytes + sizeof(range)), r->committed);
    const std::size_t rest = r->committed - rounded;
    if (rest < std::max(least_given_back, rounded / 8)) {
        return;
    }
    unpoison(begin + rounded, rest);
    if (reserved_range::decommit(begin, r->committed, rounded)) {
        set_committed(r, rounded);
    }
}

void reserved_blocks::release() noexcept {
    while (first_ != nullptr) {
        deallocate(block_in(first_));
    }
}

void reserved_blocks::set_committed(range* r, std::size_t bytes) noexcept {
    committed_bytes_ += bytes - std::exchange(r->committed, bytes);
    block_in(r).set_word(word_for(bytes));
}

} // namespace mallard
