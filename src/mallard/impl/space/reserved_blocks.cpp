#include <mallard/core/failure.hpp>
#include <mallard/impl/space/reserved_blocks.hpp>
#include <mallard/upstream/pages.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

namespace mallard::space { inline namespace MALLARD_LIBRARY {

namespace {

/// Smaller gains are not worth a call to the system.
constexpr std::size_t least_decommitted = std::size_t{64} << 10;

} // namespace

heap_block reserved_blocks::allocate(std::size_t bytes) noexcept {
    if (bytes > SIZE_MAX - overhead_bytes) {
        return {};
    }
    const std::size_t least = bytes + overhead_bytes;
    range* r = take_spare(least);
    if (r == nullptr) {
        r = new_range(least);
        if (r == nullptr) {
            return {};
        }
    }
    set_next(r, first_);
    r->previous = nullptr;
    if (first_ != nullptr) {
        first_->previous = r;
    }
    first_ = r;
    ++count_;
    grant(r, std::min(reserved_range::rounded(reinterpret_cast<std::byte*>(r), least), r->committed));
    core::poison(&r->word, r->committed - offsetof(range, word));
    return block_in(r);
}

/// Returns: a range with `least` bytes committed, or null.
reserved_blocks::range* reserved_blocks::new_range(std::size_t least) noexcept {
    // A larger size has no address on any system, and could wrap in the rounding below.
    if (least > SIZE_MAX / 2) {
        return nullptr;
    }
    const std::size_t room = least > SIZE_MAX / 2 / reserve_factor ? least : least * reserve_factor;
    std::size_t range_bytes =
        core::align_up(std::max(least_range_bytes, room), reserved_range::huge_from_bytes);
    std::byte* memory = without_room_ ? nullptr : reserved_range::reserve(range_bytes);
    if (memory == nullptr) {
        range_bytes = core::align_up(least, pages::page_bytes());
        memory = reserved_range::reserve(range_bytes);
        if (memory == nullptr && reserved_range::count() < reserved_range::most_ranges &&
            make_way(range_bytes)) {
            memory = reserved_range::reserve(range_bytes);
        }
        if (memory == nullptr) {
            return nullptr;
        }
    }
    // At least `least`, because neither of the two is smaller.
    const std::size_t committed = std::min(reserved_range::rounded(memory, least), range_bytes);
    if (!reserved_range::commit(memory, 0, committed)) {
        reserved_range::give_back(memory, range_bytes);
        return nullptr;
    }
    auto* const r = ::new (memory) range{nullptr, nullptr, range_bytes, 0, 0, 0, 0, 0};
    set_committed(r, committed);
    return r;
}

/// Returns: the spare range with `least` bytes committed, if a block of that size has room to grow in it; else
/// null.
reserved_blocks::range* reserved_blocks::take_spare(std::size_t least) noexcept {
    if (spare_ == nullptr || spare_->bytes / 4 < least || !commit(spare_, least)) {
        return nullptr;
    }
    return std::exchange(spare_, nullptr);
}

void reserved_blocks::deallocate(heap_block b) noexcept {
    range* const r = range_holding(b);
    if ((r->previous != nullptr ? r->previous->next : first_) != r) [[unlikely]] {
        core::fail_damaged_free_memory(b.payload());
    }
    if (r->previous != nullptr) {
        set_next(r->previous, r->next);
    } else {
        first_ = r->next;
    }
    if (r->next != nullptr) {
        r->next->previous = r->previous;
    }
    --count_;
    without_room_ = without_room_ && count_ != 0;
    if (r->committed > most_spare_bytes || reserved_range::count() > reserved_range::most_ranges / 2) {
        give_back(r);
        return;
    }
    trim();
    spare_ = r;
    core::unpoison(&r->word, sizeof(r->word));
    if (r->committed >= reserved_range::huge_from_bytes) {
        // Memory on offer may be lost. The range is kept elsewhere meanwhile, and written again.
        const range saved = *r;
        reserved_range::offer(reinterpret_cast<std::byte*>(r), r->committed);
        *r = saved;
    }
    core::poison(&r->word, r->committed - offsetof(range, word));
}

bool reserved_blocks::grow(heap_block b, std::size_t least, std::size_t preferred) noexcept {
    range* const r = range_holding(b);
    const std::size_t had = r->granted - overhead_bytes;
    const std::size_t most = r->bytes - overhead_bytes;
    preferred = std::min(std::max(least, preferred), most);
    if (least > most || preferred <= had) {
        return least <= had;
    }
    const std::size_t geometric = std::min(had + had / 8, most);
    for (const std::size_t payload : {std::max(preferred, geometric), preferred, least}) {
        if (payload <= had) {
            break;
        }
        if (commit(r, payload + overhead_bytes)) {
            grant(r,
                  std::min(reserved_range::rounded(reinterpret_cast<std::byte*>(r), payload + overhead_bytes),
                           r->committed));
            return true;
        }
    }
    return least <= had;
}

/// Returns: the committed bytes of a range whose block has shrunk to `bytes` bytes of payload.
std::size_t reserved_blocks::committed_for(const range* r, std::size_t bytes) noexcept {
    const auto* const begin = reinterpret_cast<const std::byte*>(r);
    const std::size_t rounded = std::min(reserved_range::rounded(begin, bytes + overhead_bytes), r->granted);
    return r->committed - rounded < std::max(least_decommitted, rounded / 8) ? r->committed : rounded;
}

void reserved_blocks::shrink(heap_block b, std::size_t bytes) noexcept {
    range* const r = range_holding(b);
    auto* const begin = reinterpret_cast<std::byte*>(r);
    const std::size_t rounded = committed_for(r, bytes);
    if (rounded == r->committed) {
        return;
    }
    core::unpoison(begin + rounded, r->committed - rounded);
    if (reserved_range::decommit(begin, r->committed, rounded)) {
        set_committed(r, rounded);
        grant(r, rounded);
    }
}

std::size_t reserved_blocks::shrunk_bytes(heap_block b, std::size_t bytes) noexcept {
    const range* const r = range_holding(b);
    return std::min(committed_for(r, bytes), r->granted) - overhead_bytes;
}

void reserved_blocks::trim() noexcept {
    without_room_ = false;
    if (spare_ != nullptr) {
        give_back(std::exchange(spare_, nullptr));
    }
}

bool reserved_blocks::make_way(std::size_t bytes) noexcept {
    std::size_t uncommitted = spare_ != nullptr ? spare_->bytes : 0;
    for (const range* r = first_; r != nullptr; r = r->next) {
        uncommitted += r->bytes - r->committed;
    }
    if (uncommitted < bytes) {
        return false;
    }
    trim();
    without_room_ = true;
    for (range* r = first_; r != nullptr; r = r->next) {
        if (r->committed != r->bytes &&
            reserved_range::shorten(reinterpret_cast<std::byte*>(r), r->bytes, r->committed)) {
            r->bytes = r->committed;
            r->seal = compute_seal(r);
        }
    }
    return true;
}

void reserved_blocks::release() noexcept {
    trim();
    while (first_ != nullptr) {
        give_back(std::exchange(first_, first_->next));
    }
    count_ = 0;
}

/// Effects: commits the range up to `bytes` bytes, unless it is.
/// Returns: false if the system refuses.
bool reserved_blocks::commit(range* r, std::size_t bytes) noexcept {
    auto* const begin = reinterpret_cast<std::byte*>(r);
    const std::size_t old = r->committed;
    if (bytes <= old) {
        return true;
    }
    const std::size_t wanted = std::min(reserved_range::rounded(begin, bytes), r->bytes);
    if (!reserved_range::commit(begin, old, wanted)) {
        return false;
    }
    set_committed(r, wanted);
    core::poison(begin + old, wanted - old);
    return true;
}

void reserved_blocks::give_back(range* r) noexcept {
    const std::size_t bytes = r->bytes;
    const std::size_t committed = r->committed;
    set_committed(r, 0);
    core::unpoison(r, committed);
    reserved_range::give_back(reinterpret_cast<std::byte*>(r), bytes);
}

/// Effects: sets the end of the block to `bytes` bytes behind the begin of the range.
void reserved_blocks::grant(range* r, std::size_t bytes) noexcept {
    r->granted = bytes;
    r->seal = compute_seal(r);
    block_in(r).set_tag(word_for(bytes));
    core::poison(reinterpret_cast<std::byte*>(r) + bytes - heap_block::tag_bytes, heap_block::tag_bytes);
}

void reserved_blocks::set_committed(range* r, std::size_t bytes) noexcept {
    committed_bytes_ += bytes - std::exchange(r->committed, bytes);
    r->seal = compute_seal(r);
}

void reserved_blocks::set_next(range* r, range* next) noexcept {
    r->next = next;
    r->seal = compute_seal(r);
}

}} // namespace mallard::space::MALLARD_LIBRARY
