#include "trace/encode/block_model.hpp"

#include <algorithm>

namespace mallard::trace {

namespace {

// The C library's blocks have a header of 8 bytes, are multiples of 16 and at least 32 bytes. Other allocators' sizes are
// predicted less well, which costs a few bytes more.
constexpr std::uint64_t block_header = 8;
constexpr std::uint64_t least_block = 32;
constexpr std::uint16_t exact_classes = 256; ///< of up to 4 KiB
constexpr std::uint16_t pool_classes = 640;  ///< the first class of pools
constexpr std::uint16_t exact_pool_classes = 128;

constexpr std::uint64_t round_up(std::uint64_t bytes, std::uint64_t to) noexcept {
    return (bytes + to - 1) / to * to;
}

/// Four classes for each power of two.
constexpr std::uint16_t rough_class(std::uint64_t units) noexcept {
    const auto width = static_cast<unsigned>(std::bit_width(units | 4));
    return static_cast<std::uint16_t>(std::uint64_t{width} * 4 + (units >> (width - 3) & 3));
}

} // namespace

void block_model::begin() {
    blocks_.assign(1, block{});
    freed_.fill(0);
    last_of_class_.fill(0);
    behind_carved_ = behind_last_ = behind_highest_ = last_freed_ = last_ = last_foreign_ = 0;
    later_ = earlier_ = 0;
}

std::uint64_t block_model::block_stride(record_kind kind, std::uint64_t bytes) noexcept {
    if (is_of_pool(kind)) {
        return round_up(bytes, 8);
    }
    return std::max(round_up(bytes + block_header, 16), least_block);
}

std::uint16_t block_model::to_size_class(record_kind kind, std::uint64_t bytes) noexcept {
    if (is_of_pool(kind)) {
        const std::uint64_t units = round_up(bytes, 8) / 8;
        return static_cast<std::uint16_t>(
            pool_classes + (units < exact_pool_classes ? units : exact_pool_classes + rough_class(units)));
    }
    const std::uint64_t units = block_stride(kind, bytes) / 16;
    return static_cast<std::uint16_t>(units < exact_classes ? units : exact_classes + rough_class(units));
}

unsigned block_model::find_rank(std::uint64_t address, std::uint16_t size_class) const noexcept {
    unsigned rank = 0;
    for (block_id at = freed_[size_class]; rank < most_rank; ++rank, at = blocks_[at].earlier) {
        if (at == 0) {
            return most_rank;
        }
        if (blocks_[at].address == address) {
            break;
        }
    }
    return rank;
}

block_id block_model::freed(std::uint16_t size_class, std::uint64_t rank) const noexcept {
    block_id at = freed_[size_class];
    for (; rank != 0 && at != 0; --rank) {
        at = blocks_[at].earlier;
    }
    return at;
}

block_id block_model::allocated(std::uint64_t address, std::uint16_t size_class, std::uint64_t stride,
                                place_way method, std::uint64_t rank) {
    switch (method) {
    case place_way::freed_last:
    case place_way::freed_second:
    case place_way::freed_third:
    case place_way::freed_earlier: {
        block_id* link = &freed_[size_class];
        for (; rank != 0; --rank) {
            link = &blocks_[*link].earlier;
        }
        *link = blocks_[*link].earlier;
        break;
    }
    case place_way::freed_any_size:
        break;
    default:
        behind_carved_ = address + stride;
    }
    const auto added = static_cast<block_id>(blocks_.size());
    const block_id newest = blocks_[0].earlier;
    blocks_.push_back({address, newest, 0, size_class, true});
    blocks_[newest].later = added;
    blocks_[0].earlier = added;
    behind_last_ = address + stride;
    if (address >= behind_highest_) {
        behind_highest_ = address + stride;
    }
    last_of_class_[size_class] = last_ = address;
    return added;
}

block_id block_model::find(release_way method, std::uint32_t last_lag) const noexcept {
    const block_id newest = blocks_[0].earlier;
    switch (method) {
    case release_way::newest:
        return newest;
    case release_way::later:
        return later_;
    case release_way::earlier:
        return earlier_;
    case release_way::second_newest:
        return blocks_[newest].earlier;
    case release_way::equal_lag:
        return with_lag(last_lag);
    case release_way::second_later:
        return blocks_[later_].later;
    case release_way::second_earlier:
        return blocks_[earlier_].earlier;
    case release_way::third_newest:
        return blocks_[blocks_[newest].earlier].earlier;
    default:
        return 0;
    }
}

block_id block_model::with_lag(std::uint64_t lag) const noexcept {
    if (lag == 0 || lag >= blocks_.size()) {
        return 0;
    }
    const auto index = static_cast<block_id>(blocks_.size() - lag);
    return blocks_[index].alive ? index : 0;
}

void block_model::freed(block_id index) noexcept {
    block& released = blocks_[index];
    later_ = released.later;
    earlier_ = released.earlier;
    blocks_[earlier_].later = later_;
    blocks_[later_].earlier = earlier_;
    released.alive = false;
    released.earlier = freed_[released.size_class];
    freed_[released.size_class] = index;
    last_freed_ = released.address;
}

} // namespace mallard::trace
