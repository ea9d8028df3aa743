#include <mallard/impl/space/room_table.hpp>
#include <mallard/upstream/pages.hpp>

#include <algorithm>
#include <cstddef>
#include <span>

namespace mallard::space { inline namespace MALLARD_LIBRARY {

namespace {

constexpr page_options small_pages{.huge = huge_pages::never};

} // namespace

room_table::room_table(std::size_t rooms) noexcept : mapped_bytes_(rooms > few ? rooms * sizeof(room) : 0) {
    if (mapped_bytes_ != 0) {
        rooms_ = static_cast<room*>(pages(small_pages).try_allocate(mapped_bytes_));
    }
}

room_table::~room_table() {
    if (mapped_bytes_ != 0 && rooms_ != nullptr) {
        pages(small_pages).deallocate(rooms_, mapped_bytes_);
    }
}

void room_table::sort() noexcept {
    std::ranges::sort(std::span<room>(rooms_, size_), {}, &room::begin);
}

bool room_table::has_block_at(std::uintptr_t address) const noexcept {
    const std::span<const room> all(rooms_, size_);
    const auto behind = std::ranges::upper_bound(all, address, {}, &room::begin);
    return behind != all.begin() && is_block_in((behind - 1)->begin, (behind - 1)->end, address);
}

}} // namespace mallard::space::MALLARD_LIBRARY
