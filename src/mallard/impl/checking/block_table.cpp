// Finds the record of a block of a checked allocator, by address or by age.
#include "block_record.hpp"

#include <mallard/impl/checking/block_registry.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <utility>

namespace mallard::checking { inline namespace MALLARD_LIBRARY {

namespace {

constexpr unsigned first_table_bits = 4;

} // namespace

void block_registry::record_list::push(record* r) noexcept {
    r->older = youngest;
    r->younger = nullptr;
    (youngest != nullptr ? youngest->younger : oldest) = r;
    youngest = r;
    ++count;
}

void block_registry::record_list::remove(record* r) noexcept {
    // The analyzer does not know that a record is in one list only.
    // NOLINTBEGIN(clang-analyzer-unix.Malloc)
    (r->older != nullptr ? r->older->younger : oldest) = r->younger;
    (r->younger != nullptr ? r->younger->older : youngest) = r->older;
    // NOLINTEND(clang-analyzer-unix.Malloc)
    --count;
}

void block_registry::record_list::move_to(record_list& other, record* r) noexcept {
    remove(r);
    other.push(r);
}

void block_registry::record_list::drop_all() noexcept {
    while (oldest != nullptr) {
        drop_record()(std::exchange(oldest, oldest->younger));
    }
}

block_registry::record*& block_registry::bucket(const void* p) const noexcept {
    const std::uint64_t mixed = (reinterpret_cast<std::uintptr_t>(p)) * 0x9E3779B97F4A7C15U;
    return table_[mixed >> (64 - table_bits_)];
}

block_registry::record* block_registry::find(const void* p) const noexcept {
    record* r = table_ == nullptr ? nullptr : bucket(p);
    while (r != nullptr && r->block != p) {
        r = r->next_in_bucket;
    }
    return r;
}

/// Returns: the record of the earlier block at that address; null if there is none.
block_registry::record* block_registry::find_earlier(const record& r) noexcept {
    record* earlier = r.next_in_bucket;
    while (earlier != nullptr && earlier->block != r.block) {
        earlier = earlier->next_in_bucket;
    }
    return earlier;
}

/// Complexity: visits all live blocks, for a report only.
const block_registry::record* block_registry::find_around(const void* p) const noexcept {
    const auto address = reinterpret_cast<std::uintptr_t>(p);
    for (const record* r = live_.oldest; r != nullptr; r = r->younger) {
        const auto begin = reinterpret_cast<std::uintptr_t>(r->block);
        if (address > begin && address < begin + r->bytes) {
            return r;
        }
    }
    return nullptr;
}

/// Effects: doubles a full table. If memory is short the table stays, with longer chains.
bool block_registry::make_room() noexcept {
    const std::size_t records = live_.count + quarantine_.count + dead_.count;
    if (table_ != nullptr && records < std::size_t{1} << table_bits_) {
        return true;
    }
    const unsigned bits = table_ == nullptr ? first_table_bits : table_bits_ + 1;
    auto** const larger = static_cast<record**>(std::calloc(std::size_t{1} << bits, sizeof(record*)));
    if (larger == nullptr) {
        return table_ != nullptr;
    }
    std::free(static_cast<void*>(std::exchange(table_, larger)));
    table_bits_ = bits;
    // Of two blocks at an address the later one is entered last, so that it is found first.
    for (const record_list* list : {&dead_, &leaving_, &quarantine_, &live_}) {
        for (record* r = list->oldest; r != nullptr; r = r->younger) {
            enter_in_table(r);
        }
    }
    return true;
}

void block_registry::enter_in_table(record* r) noexcept {
    r->next_in_bucket = std::exchange(bucket(r->block), r);
}

void block_registry::take_from_table(record* r) noexcept {
    record** link = &bucket(r->block);
    while (*link != r) {
        link = &(*link)->next_in_bucket;
    }
    *link = r->next_in_bucket;
}

}} // namespace mallard::checking::MALLARD_LIBRARY
