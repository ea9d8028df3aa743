#include "model/player.hpp"

#include <mallard/core/alignment.hpp>

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <new>
#include <utility>

namespace model {

namespace {

using mallard::expansion;

/// Effects: calls `act`.
/// Returns: false if it ran out of memory.
template <class Act>
bool attempt(Act act) {
#ifdef __cpp_exceptions
    try {
        act();
    } catch (const std::bad_alloc&) {
        return false;
    }
#else
    act();
#endif
    return true;
}

#ifdef __cpp_exceptions
constexpr bool failures_return = true;
#else
constexpr bool failures_return = false;
#endif

} // namespace

player::player(subject& s, const bounds& most, random_source random, const pace& speed, mailbox* others)
    : subject_(s), most_(most), speed_(speed), able_(s.able()), random_(random),
      requests_(most_, random_, speed.wide), others_(others), blocks_(speed.contents) {
    if (others != nullptr) {
        able_.releases = able_.rewinds = able_.resizes_last = false;
    }
}

void player::play(std::size_t operations) {
    const std::size_t end = operations_ + operations;
    while (operations_ != end && findings_.nothing() && !full_ && random_.has_more()) {
        if (operations_ % speed_.operations_per_wave == 0) {
            target_ = random_.below((most_.live_blocks >> (4 * random_.below(3))) + 1);
        }
        step();
        ++operations_;
        if (operations_ % speed_.operations_per_look == 0) {
            look();
        }
        if (operations_ % fast.operations_per_look == 0) {
            expect(blocks_.look_at_all());
        }
    }
}

void player::step() {
    const std::size_t choice = random_.below(256);
    if (choice < speed_.special) {
        return special();
    }
    if (able_.expands && choice >= 192) {
        return change_size();
    }
    const bool fewer = blocks_.size() > target_ || blocks_.bytes() > most_.live_bytes;
    if (!blocks_.empty() && choice % 8 < (fewer ? 5U : 3U)) {
        return deallocate();
    }
    allocate(choice / 8 % 8 == 0);
}

void player::special() {
    const std::size_t choice = random_.below(64);
    if (choice < 8) {
        others_ != nullptr ? exchange() : able_.resizes_last ? resize_last() : allocate(false);
    } else if (choice < 16) {
        look_at_one();
    } else if (choice < 23) {
        burst();
    } else if (choice < 30) {
        mixed_burst();
    } else if (choice < 35) {
        free_burst();
    } else if (choice < 46) {
        free_mixed_burst();
    } else if (choice < 48) {
        able_.rewinds ? mark() : allocate(true);
    } else if (choice < 50) {
        able_.rewinds ? roll_back() : deallocate();
    } else if (choice < 56) {
        make_upstream_fail();
        change_memory();
    } else if (choice < 59) {
        ask_the_impossible();
    } else if (choice < 60) {
        findings_.note("trim");
        subject_.trim();
    } else if (choice < 61 && random_.one_in(8)) {
        free_everything();
    } else if (choice < 62 && able_.rewinds) {
        rewind();
    } else if (able_.releases && random_.one_in(16)) {
        release();
    }
}

// ---- single blocks

void player::allocate(bool at_least) {
    const std::size_t bytes = requests_.bytes();
    const std::size_t alignment = requests_.alignment();
    if (!most_.uses_again) {
        bytes_since_release_ += bytes + alignment;
        if (bytes_since_release_ > most_.release_bytes) {
            return able_.releases ? release() : static_cast<void>(full_ = others_ == nullptr);
        }
    }
    if (is_full(bytes)) {
        return deallocate();
    }
    at_least = at_least && able_.expands;
    findings_.note(at_least ? "allocate_at_least" : "allocate", bytes, alignment);
    mallard::sized_block got{nullptr, bytes};
    ask(bytes, alignment, [&](bool quietly) {
        if (at_least) {
            got = quietly ? subject_.try_allocate_at_least(bytes, alignment)
                          : subject_.allocate_at_least(bytes, alignment);
        } else {
            got.p = quietly ? subject_.try_allocate(bytes, alignment) : subject_.allocate(bytes, alignment);
        }
        return got.p;
    });
    last_ = blocks_.size();
    last_stamp_ = blocks_.next_stamp();
    remember(got.p, got.bytes, bytes, alignment);
}

void player::deallocate() {
    if (!blocks_.empty()) {
        free_block(random_.below(blocks_.size()));
    }
}

void player::free_block(std::size_t i) {
    const block b = blocks_[i];
    findings_.note("deallocate", findings_.offset(b.p), b.bytes);
    expect(blocks_.remove(i));
    if (!able_.expands) {
        subject_.deallocate(b.p, b.bytes, b.alignment);
    } else if (random_.one_in(2)) {
        subject_.deallocate(b.p, b.requested_bytes + random_.below(b.bytes - b.requested_bytes + 1),
                            b.alignment);
    } else {
        subject_.deallocate(b.p);
    }
}

void player::free_everything() {
    findings_.note("free everything");
    while (!blocks_.empty() && findings_.nothing()) {
        free_block(random_.below(blocks_.size()));
    }
    if (others_ == nullptr && findings_.nothing()) {
        look();
        expect(subject_.remains());
    }
}

void player::look_at_one() {
    if (!blocks_.empty()) {
        const std::size_t i = random_.below(blocks_.size());
        findings_.note("look at", findings_.offset(blocks_[i].p));
        expect(blocks_.look_at(i));
        check(!able_.expands || subject_.usable_bytes(blocks_[i].p) >= blocks_[i].bytes,
              "a block that has less than it had");
        check(!able_.owns || blocks_[i].bytes == 0 ||
                  (subject_.owns(blocks_[i].p) && subject_.owns(blocks_[i].p + blocks_[i].bytes - 1)),
              "a block that the allocator does not own");
    }
}

// ---- bursts

void player::burst() {
    const std::size_t room = room_for_blocks();
    const std::size_t count = random_.below(std::min(room, std::size_t{64}) + 1);
    const std::size_t alignment = requests_.alignment();
    const std::size_t bytes =
        std::clamp(requests_.bytes(), std::min(sizeof(void*), most_.bytes), std::size_t{4096});
    if (!able_.bursts || room == 0 || bytes < sizeof(void*) || is_full(count * (bytes + alignment))) {
        return;
    }
    findings_.note("allocate_many", bytes, alignment, count);
    mallard::block_chain blocks;
    if (attempt([&] { blocks = subject_.allocate_many(bytes, alignment, count); })) {
        remember(std::move(blocks), std::vector(count, bytes), alignment);
    } else {
        refuse(0, alignment);
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
    findings_.note("allocate_many of sizes", sizes.size(), alignment);
    mallard::block_chain blocks;
    if (attempt([&] { blocks = subject_.allocate_many(sizes, alignment); })) {
        remember(std::move(blocks), sizes, alignment);
    } else {
        refuse(0, alignment);
    }
}

/// Effects: records the blocks, whose links are read before the first block is written.
void player::remember(mallard::block_chain&& blocks, std::span<const std::size_t> sizes,
                      std::size_t alignment) {
    check(blocks.size() == sizes.size(), "a burst of another number of blocks");
    std::vector<void*> all;
    while (void* p = blocks.pop_front()) {
        all.push_back(p);
    }
    check(all.size() == sizes.size(), "a chain that ends elsewhere");
    for (std::size_t i = 0; i != all.size() && findings_.nothing(); ++i) {
        remember(all[i], sizes[i], sizes[i], alignment);
        bytes_since_release_ += sizes[i] + alignment;
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
    findings_.note("deallocate_many", bytes, alignment);
    mallard::block_chain blocks;
    for (std::size_t looked_at = 0; looked_at != 128 && blocks.size() != 32 && !blocks_.empty();
         ++looked_at) {
        i = i < blocks_.size() ? i : 0;
        const block b = blocks_[i];
        if (b.bytes == bytes && b.alignment == alignment) {
            expect(blocks_.remove(i));
            blocks.push_back(b.p);
        } else {
            ++i;
        }
    }
    subject_.deallocate_many(std::move(blocks), bytes, alignment);
}

/// Effects: deallocates blocks of any size at once, the latest or random ones.
void player::free_mixed_burst() {
    if (!able_.mixed_bursts) {
        return;
    }
    const bool row = random_.one_in(2);
    std::size_t count = random_.below(40);
    findings_.note("deallocate_many of sizes", count, row ? 1 : 0);
    mallard::block_chain blocks;
    while (count-- != 0 && !blocks_.empty()) {
        const std::size_t i = row ? blocks_.size() - 1 : random_.below(blocks_.size());
        const block b = blocks_[i];
        if (b.bytes < sizeof(void*)) {
            free_block(i);
            continue;
        }
        expect(blocks_.remove(i));
        row ? blocks.push_front(b.p) : blocks.push_back(b.p);
    }
    subject_.deallocate_many(std::move(blocks));
}

// ---- blocks that change their sizes

void player::change_size() {
    if (blocks_.empty() || random_.one_in(32)) {
        return expand_nothing();
    }
    const std::size_t i = random_.below(blocks_.size());
    random_.one_in(4) ? shrink(i) : expand(i);
}

void player::shrink(std::size_t i) {
    const block b = blocks_[i];
    const std::size_t bytes = random_.below(b.bytes + 1);
    findings_.note("shrink", findings_.offset(b.p), b.bytes, bytes);
    const std::size_t kept_bytes = subject_.shrink(b.p, bytes);
    check(kept_bytes >= bytes, "a block that shrank too much");
    check(!able_.walks || kept_bytes == subject_.usable_bytes(b.p), "a block of two sizes");
    expect(blocks_.resize(i, b.p, std::min(kept_bytes, b.bytes), bytes));
}

void player::expand(std::size_t i) {
    const block b = blocks_[i];
    const std::size_t object_bytes = 1 + random_.below(64);
    mallard::expansion_request r;
    r.allowed = static_cast<expansion>(random_.below(8));
    r.alignment = b.alignment;
    r.step_bytes =
        mallard::backward_step(object_bytes, std::max(b.alignment, mallard::fundamental_alignment));
    r.least_bytes = random_.one_in(4) ? requests_.bytes() : b.bytes + random_.below(1 + b.bytes / 2 + 64);
    r.least_bytes = std::min(r.least_bytes, most_.bytes);
    r.preferred_bytes = r.least_bytes + (random_.one_in(2) ? random_.below(1 + r.least_bytes) : 0);
    if (is_full(r.preferred_bytes)) {
        return deallocate();
    }
    findings_.note("expand", findings_.offset(b.p), r.least_bytes, static_cast<std::size_t>(r.allowed));
    mallard::expansion_result got;
    const auto get = [&](bool quietly) {
        got = quietly ? subject_.try_expand(b.p, r) : subject_.expand(b.p, r);
        return got.p;
    };
    if (includes(r.allowed, expansion::fresh)) {
        ask(r.least_bytes, r.alignment, get);
    } else {
        check(attempt([&] { get(random_.one_in(2)); }), "an exception where none was asked for");
    }
    // If memory ran out, the index may belong to another block.
    if (got.p == nullptr) {
        return check(got.bytes == 0 && got.method == expansion::none, "a way that leads to no block");
    }
    check(got.bytes >= r.least_bytes, "a block that is too small");
    check(includes(r.allowed, got.method) && got.method != expansion::none, "a way that was not allowed");
    if (got.method == expansion::fresh) {
        expect(blocks_.look_at(i));
        remember(got.p, got.bytes, r.least_bytes, r.alignment);
        if (findings_.nothing() && random_.one_in(2)) {
            free_block(i);
        }
        return;
    }
    const auto moved = static_cast<std::size_t>(b.p - static_cast<std::byte*>(got.p));
    check(got.method == expansion::forward ? moved == 0 : moved != 0 && moved % r.step_bytes == 0,
          "a block that begins at the wrong place");
    check(got.bytes >= std::min(b.bytes, r.least_bytes), "a block that is too small");
    expect(blocks_.resize(i, got.p, got.bytes, r.least_bytes));
}

void player::expand_nothing() {
    mallard::expansion_request r{.alignment = requests_.alignment(),
                                 .allowed = static_cast<expansion>(random_.below(8))};
    r.least_bytes = requests_.bytes();
    r.preferred_bytes = r.least_bytes + random_.below(100);
    if (is_full(r.preferred_bytes)) {
        return deallocate();
    }
    findings_.note("expand nothing", r.least_bytes, r.alignment, static_cast<std::size_t>(r.allowed));
    mallard::expansion_result got;
    const auto get = [&](bool quietly) {
        got = quietly ? subject_.try_expand(nullptr, r) : subject_.expand(nullptr, r);
        return got.p;
    };
    if (includes(r.allowed, expansion::fresh)) {
        ask(r.least_bytes, r.alignment, get);
    } else {
        get(true);
    }
    check(got.p == nullptr || (got.method & r.allowed) == expansion::fresh, "a block from nowhere");
    remember(got.p, got.bytes, r.least_bytes, r.alignment);
}

void player::resize_last() {
    const bool known = last_ < blocks_.size() && blocks_[last_].stamp == last_stamp_;
    if (!able_.resizes_last || !known || (!marks_.empty() && marks_.back().stamp > last_stamp_)) {
        return;
    }
    const block b = blocks_[last_];
    const std::size_t bytes = 1 + random_.below(2 * b.bytes + 32);
    findings_.note("resize_last", findings_.offset(b.p), b.bytes, bytes);
    if (subject_.resize_last(b.p, b.bytes, bytes)) {
        expect(blocks_.resize(last_, b.p, bytes, bytes));
        bytes_since_release_ += bytes;
    }
}

// ---- failures

void player::ask_the_impossible() {
    constexpr std::size_t most = std::numeric_limits<std::size_t>::max();
    const std::size_t bytes = random_.one_in(2) ? most >> random_.below(12) : most - random_.below(8192);
    const std::size_t alignment = std::size_t{1} << random_.below(8);
    findings_.note("ask for too much", bytes, alignment);
    if (failures_return) {
        check(!attempt([&] { static_cast<void>(subject_.allocate(bytes, alignment)); }),
              "a block of more bytes than there are");
    }
    if (able_.expands) {
        void* const p = blocks_.empty() ? nullptr : blocks_[random_.below(blocks_.size())].p;
        check(subject_.try_allocate(bytes, alignment) == nullptr &&
                  subject_.try_allocate_at_least(bytes, alignment).p == nullptr,
              "a block of no possible size");
        check(subject_.try_expand(p, {.least_bytes = bytes, .preferred_bytes = most}).p == nullptr,
              "a growth to no possible size");
    }
}

/// Effects: lets one of the next upstream requests fail, once or until the plan changes, or clears the plan.
void player::make_upstream_fail() {
    if (others_ != nullptr || !failures_return) {
        return;
    }
    may_fail_ = !may_fail_ && random_.one_in(2);
    const mallard::failure_plan plan{.at = may_fail_ ? 1 + random_.below(3) : 0,
                                     .for_ever = may_fail_ && random_.one_in(4)};
    findings_.note("let the upstream fail", plan.at, plan.for_ever ? 1 : 0);
    subject_.fail(plan);
}

void player::change_memory() {
    const std::size_t choice = random_.below(256);
    findings_.note("change the memory", choice);
    subject_.change_memory(choice);
}

/// Effects: gets a block by `get(quietly)`.
/// Returns: the block; null if it throws.
template <class Get>
void* player::ask(std::size_t bytes, std::size_t alignment, Get get) {
    const bool quietly = able_.expands && (random_.one_in(2) || (!failures_return && most_.may_refuse));
    void* p = nullptr;
    const bool returned = attempt([&] { p = get(quietly); });
    check(returned || !quietly, "an exception where none was asked for");
    check(!returned || quietly || p != nullptr, "no block, and no exception");
    if (p == nullptr) {
        refuse(bytes, alignment);
    }
    return p;
}

/// Effects: reports an unexplained refusal as a fault. If the subject is full, frees half of its blocks.
void player::refuse(std::size_t bytes, std::size_t alignment) {
    if (!may_fail_ && !most_.may_refuse) {
        return expect("a request that was refused, with memory left");
    }
    // The next size class is at most an eighth larger, plus the alignment and a word.
    check(!able_.walks || bytes == 0 ||
              subject_.largest_free_bytes() < bytes + bytes / 8 + 2 * alignment + 64,
          "a request that was refused where there was room");
    for (std::size_t kept = blocks_.size() / 2; most_.may_refuse && blocks_.size() > kept;) {
        free_block(random_.below(blocks_.size()));
    }
    full_ = full_ || (most_.may_refuse && !most_.uses_again && !able_.releases && others_ == nullptr);
}

// ---- many blocks at once

void player::mark() {
    if (able_.rewinds && marks_.size() < 16) {
        findings_.note("mark");
        subject_.mark();
        marks_.push_back({blocks_.next_stamp(), bytes_in_use()});
    }
}

void player::roll_back() {
    if (!marks_.empty()) {
        const std::size_t i = random_.below(marks_.size());
        findings_.note("rollback", i);
        expect(blocks_.look_at_all());
        const std::size_t counted = std::min(bytes_in_use(), marks_[i].bytes_in_use);
        blocks_.forget_from(marks_[i].stamp);
        subject_.roll_back(i);
        restored_bytes_ = 0;
        restored_bytes_ = counted - bytes_in_use();
        marks_.resize(i + 1);
    }
}

void player::rewind() {
    findings_.note("rewind");
    expect(blocks_.look_at_all());
    blocks_.clear();
    marks_.clear();
    subject_.rewind();
    bytes_since_release_ = restored_bytes_ = 0;
}

void player::release() {
    findings_.note("release");
    expect(blocks_.look_at_all());
    blocks_.clear();
    marks_.clear();
    subject_.release();
    bytes_since_release_ = restored_bytes_ = 0;
    look();
}

/// Effects: hands a block to another thread, or frees a block from the mailbox.
void player::exchange() {
    if (random_.one_in(2) && !blocks_.empty()) {
        const std::size_t i = random_.below(blocks_.size());
        const block b = blocks_[i];
        findings_.note("hand over", findings_.offset(b.p), b.bytes);
        expect(blocks_.remove(i));
        if (!others_->put(b)) {
            subject_.deallocate(b.p, b.bytes, b.alignment);
        }
    } else if (const auto b = others_->take()) {
        expect(blocks_.add_written(*b));
        free_block(blocks_.size() - 1);
    }
}

void player::free_all() {
    look_at_all();
    free_everything();
}

void player::look_at_all() {
    expect(blocks_.look_at_all());
    look();
}

void player::look() {
    if (others_ == nullptr && findings_.nothing()) {
        expect(subject_.damage(blocks_));
        check(!able_.counts || subject_.bytes_in_use() == bytes_in_use(), "another number of bytes in use");
    }
}

/// Returns: the bytes of all blocks as a subject counts them, which a rollback lowers to those of its mark.
std::size_t player::bytes_in_use() const noexcept {
    std::size_t sum = restored_bytes_ + (able_.expands ? 0 : blocks_.bytes());
    for (std::size_t i = 0; able_.expands && i != blocks_.size(); ++i) {
        sum += subject_.usable_bytes(blocks_[i].p);
    }
    return sum;
}

// ---- bounds

bool player::is_full(std::size_t bytes) const noexcept {
    return blocks_.size() >= most_.live_blocks || blocks_.bytes() + bytes > 2 * most_.live_bytes;
}

std::size_t player::room_for_blocks() const noexcept {
    const bool has_room =
        blocks_.bytes() < most_.live_bytes && bytes_since_release_ < most_.release_bytes / 2;
    return has_room ? most_.live_blocks - std::min(most_.live_blocks, blocks_.size()) : 0;
}

void player::remember(void* p, std::size_t bytes, std::size_t requested_bytes, std::size_t alignment) {
    if (p != nullptr) {
        expect(blocks_.add(p, bytes, requested_bytes, alignment));
    }
}

std::vector<std::uint8_t> shrink(std::vector<std::uint8_t> bytes,
                                 const std::function<bool(std::span<const std::uint8_t>)>& still_fails) {
    // An operation takes a few bytes, and may go only as a whole.
    constexpr std::size_t operation_bytes = 8;
    bool shorter = false;
    for (std::size_t part = std::max<std::size_t>(bytes.size() / 2, 1); part != 0;) {
        for (std::size_t begin = 0; begin < bytes.size();) {
            std::vector<std::uint8_t> candidate = bytes;
            const auto from = candidate.begin() + static_cast<std::ptrdiff_t>(begin);
            candidate.erase(from,
                            from + static_cast<std::ptrdiff_t>(std::min(part, candidate.size() - begin)));
            if (still_fails(candidate)) {
                bytes = std::move(candidate);
                shorter = true;
            } else {
                begin += part > operation_bytes ? part : 1;
            }
        }
        if (part > operation_bytes) {
            part /= 2;
        } else if (--part == 0 && shorter) {
            part = operation_bytes;
            shorter = false;
        }
    }
    for (std::uint8_t& byte : bytes) {
        for (std::uint8_t kept = byte; kept != 0; kept = byte) {
            byte = static_cast<std::uint8_t>(byte / 2);
            if (!still_fails(bytes)) {
                byte = kept;
                break;
            }
        }
    }
    return bytes;
}

std::vector<std::uint8_t> random_bytes(std::uint64_t seed, std::size_t count) {
    random_source random(seed);
    std::vector<std::uint8_t> bytes(count);
    std::ranges::generate(bytes, [&random] { return static_cast<std::uint8_t>(random.below(256)); });
    return bytes;
}

} // namespace model
