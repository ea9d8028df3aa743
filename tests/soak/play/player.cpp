#include "soak/play/player.hpp"

#include <mallard/core/alignment.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <new>
#include <span>
#include <utility>

namespace soak {

namespace {

constexpr std::size_t operations_per_target = 2048;
constexpr std::size_t operations_per_look = 16384;

} // namespace

player::player(subject& s, const bounds& most, std::uint64_t seed, mailbox* others)
    : subject_(s), most_(most), able_(s.able()), random_(seed), requests_(most_, random_), others_(others) {
    if (others != nullptr) {
        able_.releases = able_.rewinds = able_.resizes_last = false;
    }
}

void player::play(std::size_t operations) {
    const std::size_t end = operations_ + operations;
    while (operations_ != end && fault_.empty() && !full_) {
        if (operations_ % operations_per_target == 0) {
            const std::size_t most = most_.live_blocks >> (4 * random_.below(3));
            target_ = random_.below(most + 1);
        }
        step();
        ++operations_;
        if (operations_ % operations_per_look == 0) {
            look_at_all();
        }
    }
}

void player::step() {
    const std::size_t choice = random_.below(1024);
    if (choice < 48) {
        return special(choice);
    }
    if (able_.expands && choice < 256) {
        return change_size();
    }
    const bool fewer = blocks_.size() > target_ || blocks_.live_bytes() > most_.live_bytes;
    if (!blocks_.empty() && random_.below(8) < (fewer ? 5U : 3U)) {
        return free_block(random_.below(blocks_.size()));
    }
    allocate();
}

/// Effects: one of the rarer operations, by its share of 48 in 1024.
void player::special(std::size_t choice) {
    if (choice < 16) {
        if (others_ != nullptr) {
            exchange();
        } else if (able_.resizes_last) {
            resize_last();
        }
    } else if (choice < 32) {
        if (!blocks_.empty()) {
            expect(blocks_.look_at(random_.below(blocks_.size())), "a look");
        }
    } else if (choice < 38) {
        burst();
    } else if (choice < 40) {
        mixed_burst();
    } else if (choice < 42) {
        free_burst();
    } else if (choice == 42) {
        mark();
    } else if (choice == 43) {
        roll_back();
    } else if (choice == 44) {
        make_upstream_fail();
    } else if (choice == 45) {
        ask_the_impossible();
    } else if (choice == 46) {
        subject_.trim();
    } else if (able_.rewinds && random_.one_in(2)) {
        expect(blocks_.look_at_all(), "a rewind");
        blocks_.clear();
        marks_.clear();
        subject_.rewind();
        bytes_since_release_ = 0;
    } else if (able_.releases && random_.one_in(16)) {
        release();
    }
}

void player::allocate() {
    const std::size_t bytes = requests_.bytes();
    const std::size_t alignment = requests_.alignment();
    if (!most_.uses_again) {
        bytes_since_release_ += bytes + alignment;
        if (bytes_since_release_ > most_.release_bytes) {
            return able_.releases ? release() : static_cast<void>(full_ = others_ == nullptr);
        }
    }
    if (blocks_.live_bytes() > 2 * most_.live_bytes || blocks_.size() >= most_.live_blocks) {
        return free_block(random_.below(blocks_.size()));
    }
    try {
        void* const p = subject_.allocate(bytes, alignment);
        last_ = blocks_.size();
        last_mark_ = blocks_.next_mark();
        expect(blocks_.add(p, bytes, alignment), "allocate");
    } catch (const std::bad_alloc&) {
        refused("allocate");
    }
}

void player::free_block(std::size_t i) {
    const live_block b = blocks_[i];
    expect(blocks_.remove(i), "deallocate");
    subject_.deallocate(b.p, b.bytes, b.alignment);
}

void player::burst() {
    const std::size_t room = room_for_blocks();
    if (!able_.bursts || room == 0) {
        return;
    }
    const std::size_t count = random_.below(std::min(room, std::size_t{64}) + 1);
    const std::size_t alignment = requests_.alignment();
    const std::size_t bytes =
        std::clamp(requests_.bytes(), std::min(sizeof(void*), most_.bytes), std::size_t{512});
    if (bytes < sizeof(void*)) {
        return;
    }
    try {
        mallard::block_chain blocks = subject_.allocate_many(bytes, alignment, count);
        expect(blocks.size() == count ? nullptr : "another number of blocks", "allocate_many");
        remember(std::move(blocks), bytes, alignment);
    } catch (const std::bad_alloc&) {
        refused("allocate_many");
    }
}

void player::mixed_burst() {
    if (!able_.mixed_bursts || room_for_blocks() < 32) {
        return;
    }
    std::array<std::size_t, 32> drawn{};
    const std::span<std::size_t> sizes(drawn.data(), random_.below(drawn.size() + 1));
    for (std::size_t& bytes : sizes) {
        bytes = std::clamp(requests_.bytes(), sizeof(void*), std::size_t{4096});
    }
    const std::size_t alignment = requests_.alignment();
    try {
        mallard::block_chain blocks = subject_.allocate_many(sizes, alignment);
        expect(blocks.size() == sizes.size() ? nullptr : "another number of blocks",
               "allocate_many of sizes");
        for (const std::size_t bytes : sizes) {
            expect(blocks_.add(blocks.pop_front(), bytes, alignment), "allocate_many of sizes");
        }
    } catch (const std::bad_alloc&) {
        refused("allocate_many of sizes");
    }
}

void player::remember(mallard::block_chain&& blocks, std::size_t bytes, std::size_t alignment) {
    while (void* p = blocks.pop_front()) {
        expect(blocks_.add(p, bytes, alignment), "allocate_many");
        bytes_since_release_ += bytes + alignment;
    }
}

/// Effects: deallocates blocks of one size at once, which may have been allocated one by one.
void player::free_burst() {
    if (!able_.bursts || blocks_.empty()) {
        return;
    }
    std::size_t i = random_.below(blocks_.size());
    const std::size_t bytes = blocks_[i].bytes;
    const std::size_t alignment = blocks_[i].alignment;
    if (bytes < sizeof(void*)) {
        return;
    }
    mallard::block_chain blocks;
    for (std::size_t looked_at = 0; looked_at != 128 && blocks.size() != 32 && !blocks_.empty();
         ++looked_at) {
        i = i < blocks_.size() ? i : 0;
        const live_block b = blocks_[i];
        if (b.bytes == bytes && b.alignment == alignment) {
            expect(blocks_.remove(i), "deallocate_many");
            blocks.push_back(b.p);
        } else {
            ++i;
        }
    }
    if (able_.mixed_bursts && random_.one_in(2)) {
        subject_.deallocate_many(std::move(blocks));
    } else {
        subject_.deallocate_many(std::move(blocks), bytes, alignment);
    }
}

void player::change_size() {
    if (blocks_.empty()) {
        return;
    }
    const std::size_t i = random_.below(blocks_.size());
    const live_block b = blocks_[i];
    if (random_.one_in(3)) {
        const std::size_t bytes = random_.below(std::max<std::size_t>(b.bytes, 1));
        expect(blocks_.look_at(i), "shrink");
        const std::size_t kept_bytes = subject_.shrink(b.p, bytes);
        expect(kept_bytes >= bytes ? nullptr : "fewer bytes than were to be left", "shrink");
        return expect(blocks_.resize(i, b.p, kept_bytes, std::min(kept_bytes, bytes)), "shrink");
    }
    const std::size_t step =
        mallard::backward_step(8 * (1 + random_.below(4)), std::max<std::size_t>(b.alignment, 16));
    const std::size_t least = random_.below(std::min(2 * b.bytes + 64, most_.bytes) + 1);
    const mallard::expansion_request request{.least_bytes = least,
                                             .preferred_bytes = least + random_.below(least + 1),
                                             .alignment = b.alignment,
                                             .step_bytes = step,
                                             .allowed = static_cast<mallard::expansion>(random_.below(8))};
    if (includes(request.allowed, mallard::expansion::fresh) && blocks_.live_bytes() > most_.live_bytes) {
        return;
    }
    const bool quietly = random_.one_in(2);
    mallard::expansion_result got;
    try {
        got = subject_.expand(b.p, request, quietly);
    } catch (const std::bad_alloc&) {
        expect(quietly ? "an exception where none was asked for" : nullptr, "expand");
        return refused("expand");
    }
    if (got.p == nullptr) {
        expect(got.method == mallard::expansion::none ? nullptr : "a way that leads to no block", "expand");
        if (includes(request.allowed, mallard::expansion::fresh)) {
            quietly ? refused("expand") : expect("no block, and no exception", "expand");
        }
        return;
    }
    expect(got.bytes >= least ? nullptr : "fewer bytes than were asked for", "expand");
    expect(includes(request.allowed, got.method) && got.method != mallard::expansion::none
               ? nullptr
               : "a way that was not allowed",
           "expand");
    if (got.method == mallard::expansion::fresh) {
        expect(blocks_.add(got.p, got.bytes, b.alignment), "expand");
        return free_block(i);
    }
    const auto moved = static_cast<std::size_t>(b.p - static_cast<std::byte*>(got.p));
    expect((got.method == mallard::expansion::forward) == (moved == 0) ? nullptr
                                                                       : "a block that moved forward",
           "expand");
    expect(moved % step == 0 ? nullptr : "a block between two steps", "expand");
    expect(blocks_.resize(i, got.p, got.bytes, b.bytes), "expand");
}

void player::resize_last() {
    const bool known = last_ < blocks_.size() && blocks_[last_].mark == last_mark_;
    if (!known || (!marks_.empty() && marks_.back() > last_mark_)) {
        return;
    }
    const live_block b = blocks_[last_];
    const std::size_t bytes = 1 + random_.below(2 * b.bytes + 32);
    if (subject_.resize_last(b.p, b.bytes, bytes)) {
        expect(blocks_.resize(last_, b.p, bytes, std::min(b.bytes, bytes)), "resize_last");
        bytes_since_release_ += bytes;
    }
}

void player::ask_the_impossible() {
    constexpr std::size_t most = std::numeric_limits<std::size_t>::max();
    const std::size_t bytes = random_.one_in(2) ? most >> random_.below(12) : most - random_.below(8192);
    const std::size_t alignment = std::size_t{1} << random_.below(8);
    try {
        static_cast<void>(subject_.allocate(bytes, alignment));
        expect("a block of more bytes than there are", "allocate");
    } catch (const std::bad_alloc&) {
        return;
    }
}

/// Effects: lets one of the next upstream requests fail, once or until the plan changes, or clears the plan.
void player::make_upstream_fail() {
    if (others_ != nullptr) {
        return;
    }
    may_fail_ = !may_fail_ && random_.one_in(2);
    const std::size_t at = may_fail_ ? 1 + random_.below(3) : 0;
    subject_.fail({.at = at, .for_ever = may_fail_ && random_.one_in(4)});
}

void player::mark() {
    if (able_.rewinds && marks_.size() < 16) {
        subject_.mark();
        marks_.push_back(blocks_.next_mark());
    }
}

void player::roll_back() {
    if (!marks_.empty()) {
        const std::size_t i = random_.below(marks_.size());
        expect(blocks_.look_at_all(), "a rollback");
        blocks_.forget_from(marks_[i]);
        subject_.roll_back(i);
        marks_.resize(i + 1);
    }
}

/// Effects: hands a block to another thread, or frees a block from the mailbox.
void player::exchange() {
    if (random_.one_in(2) && !blocks_.empty()) {
        const std::size_t i = random_.below(blocks_.size());
        const live_block b = blocks_[i];
        expect(blocks_.remove(i), "a block for another thread");
        if (!others_->put(b)) {
            subject_.deallocate(b.p, b.bytes, b.alignment);
        }
    } else if (const auto b = others_->take()) {
        blocks_.add_written(*b);
        free_block(blocks_.size() - 1);
    }
}

void player::free_all() {
    look_at_all();
    while (!blocks_.empty()) {
        free_block(random_.below(blocks_.size()));
    }
}

void player::release() {
    expect(blocks_.look_at_all(), "a release");
    blocks_.clear();
    marks_.clear();
    subject_.release();
    bytes_since_release_ = 0;
}

void player::look_at_all() {
    expect(blocks_.look_at_all(), "a look at all blocks");
    if (others_ == nullptr) {
        expect(subject_.damage(), "a look at the allocator");
    }
}

std::size_t player::room_for_blocks() const noexcept {
    const bool has_room =
        blocks_.live_bytes() < most_.live_bytes && bytes_since_release_ < most_.release_bytes / 2;
    return has_room ? most_.live_blocks - std::min(most_.live_blocks, blocks_.size()) : 0;
}

/// Effects: reports an unexplained refusal as a fault. If the subject is full, frees half of its blocks.
void player::refused(const char* doing) {
    if (!may_fail_ && !most_.may_refuse) {
        return expect("refused, with memory left", doing);
    }
    for (std::size_t kept_bytes = blocks_.size() / 2; most_.may_refuse && blocks_.size() > kept_bytes;) {
        free_block(random_.below(blocks_.size()));
    }
    full_ = full_ || (most_.may_refuse && !most_.uses_again && !able_.releases && others_ == nullptr);
}

void player::expect(const char* wrong, const char* doing) {
    if (wrong != nullptr && fault_.empty()) {
        fault_ = "operation " + std::to_string(operations_ + 1) + ", " + doing + ": " + wrong;
    }
}

} // namespace soak
