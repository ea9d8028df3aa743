#include <mallard/impl/space/room_table.hpp>
#include <mallard/upstream/pages.hpp>

#include <cstddef>

namespace mallard::space::inline MALLARD_LIBRARY {

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

} // namespace mallard::space::inline MALLARD_LIBRARY
