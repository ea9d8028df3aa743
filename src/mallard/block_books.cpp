#include "block_record.hpp"

#include <mallard/core/alignment.hpp>
#include <mallard/core/allocation_site.hpp>
#include <mallard/core/block_books.hpp>
#include <mallard/core/quarantine.hpp>
#include <mallard/core/sanitizer.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <optional>
#include <source_location>
#include <span>
#include <type_traits>
#include <utility>

namespace mallard {

namespace {

constexpr unsigned first_table_bits = 4;

} // namespace

void block_books::drop_record::operator()(record* unused) const noexcept {
    static_assert(std::is_trivially_destructible_v<record>);
    std::free(unused);
}

void block_books::record_list::push(record* r) noexcept {
    r->older = youngest;
    r->younger = nullptr;
    (youngest != nullptr ? youngest->younger : oldest) = r;
    youngest = r;
    ++count;
}

void block_books::record_list::remove(record* r) noexcept {
    // The analyzer does not know that no record is both among the living and among the ended.
    // NOLINTBEGIN(clang-analyzer-unix.Malloc)
    (r->older != nullptr ? r->older->younger : oldest) = r->younger;
    (r->younger != nullptr ? r->younger->older : youngest) = r->older;
    // NOLINTEND(clang-analyzer-unix.Malloc)
    --count;
}

void block_books::record_list::move_to(record_list& other, record* r) noexcept {
    remove(r);
    other.push(r);
}

void block_books::record_list::drop_all() noexcept {
    while (oldest != nullptr) {
        drop_record()(std::exchange(oldest, oldest->younger));
    }
}

block_books::~block_books() {
    for (record_list* list : {&live_, &quarantine_, &leaving_, &dead_}) {
        list->drop_all();
    }
    std::free(static_cast<void*>(table_));
}

std::size_t block_books::front_bytes(std::size_t alignment) const noexcept {
    return align_up(guard_bytes_, alignment);
}

bool block_books::has_representation(std::size_t bytes, std::size_t alignment) const noexcept {
    constexpr auto most_bytes = static_cast<std::size_t>(PTRDIFF_MAX);
    return bytes <= most_bytes - guard_bytes_ && front_bytes(alignment) <= most_bytes - guard_bytes_ - bytes;
}

block_books::whole_block block_books::around(std::size_t bytes, std::size_t alignment) const noexcept {
    return {.bytes = front_bytes(alignment) + bytes + guard_bytes_, .alignment = alignment};
}

block_books::whole_block block_books::whole_of(const record& r) const noexcept {
    whole_block whole = around(r.bytes, r.alignment);
    whole.p = r.block - front_bytes(r.alignment);
    return whole;
}

block_books::new_record block_books::open(std::size_t bytes, std::size_t alignment) noexcept {
    if (!has_representation(bytes, alignment) || !make_room()) {
        return nullptr;
    }
    std::array<void*, most_stack_frames> room;
    const std::source_location* const place = allocation_site::current();
    const std::span<void*> stack = place == nullptr ? capture_stack(room) : std::span<void*>{};
    void* const memory = std::malloc(sizeof(record) + stack.size_bytes());
    if (memory == nullptr) {
        return nullptr;
    }
    new_record opened(::new (memory) record{.bytes = bytes,
                                            .alignment = alignment,
                                            .place = place == nullptr ? std::source_location{} : *place,
                                            .has_place = place != nullptr,
                                            .frames = stack.size()});
    std::ranges::copy(stack, opened->stack());
    return opened;
}

void* block_books::enter(new_record opened, void* whole, std::size_t unused_bytes) noexcept {
    record* const r = opened.release();
    r->block = static_cast<std::byte*>(whole) + front_bytes(r->alignment);
    r->front_guard_bytes = static_cast<std::uint8_t>(guard_bytes_);
    r->back_guard_bytes = static_cast<std::uint8_t>(
        guard_bytes_ != 0 ? guard_bytes_ : std::min(unused_bytes, usual_guard_bytes));
    // A block of before, at the same address; one that has not ended where somebody released the mechanism.
    if (record* const former = find(r->block)) {
        if (former->stage == block_stage::in_quarantine) {
            quarantine_bytes_ -= whole_of(*former).bytes;
        }
        take_from_table(former);
        list_of(*former).remove(former);
        drop_record()(former);
    }
    r->number = next_number_++;
    enter_in_table(r);
    live_.push(r);
    r->draw_guards();
    return r->block;
}

void block_books::close(void* p, std::size_t bytes, std::size_t alignment) noexcept {
    constexpr auto by = allocator_call::deallocate;
    record* const r =
        expect_live({.found_by = by, .told_block = p, .told_bytes = bytes, .told_alignment = alignment});
    if (r == nullptr) {
        return;
    }
    if (alignment != r->alignment) {
        misuse_report found = r->report(misuse::wrong_alignment, by);
        found.told_alignment = alignment;
        report_misuse(found);
    }
    r->look_at_guards(by);
    r->ended_by = by;
    const quarantine_bounds bounds = bounds_.value_or(usual_quarantine());
    const std::size_t held_bytes = whole_of(*r).bytes;
    if (bounds.blocks == 0 || held_bytes > bounds.bytes) {
        r->stage = block_stage::leaving;
        live_.move_to(leaving_, r);
    } else {
        r->fill();
        r->filled = true;
        r->stage = block_stage::in_quarantine;
        live_.move_to(quarantine_, r);
        quarantine_bytes_ += held_bytes;
    }
    while (quarantine_.oldest != nullptr &&
           (quarantine_.count > bounds.blocks || quarantine_bytes_ > bounds.bytes)) {
        leave(quarantine_.oldest);
    }
}

void block_books::set_quarantine(quarantine_bounds bounds) noexcept {
    bounds_ = bounds;
}

void block_books::leave(record* r) noexcept {
    quarantine_bytes_ -= whole_of(*r).bytes;
    r->stage = block_stage::leaving;
    quarantine_.move_to(leaving_, r);
}

void block_books::let_leave(std::size_t count) noexcept {
    for (; count != 0 && quarantine_.oldest != nullptr; --count) {
        leave(quarantine_.oldest);
    }
}

void block_books::let_leave_since(std::uint64_t number) noexcept {
    for (record* r = quarantine_.oldest; r != nullptr;) {
        record* const next = r->younger;
        if (r->number >= number) {
            leave(r);
        }
        r = next;
    }
}

std::optional<block_books::whole_block> block_books::next_leaving(allocator_call by) noexcept {
    record* const r = leaving_.oldest;
    if (r == nullptr) {
        return std::nullopt;
    }
    if (r->filled) {
        r->look_at_filling(by);
    }
    const whole_block whole = whole_of(*r);
    unpoison(whole.p, whole.bytes);
    bury(r, leaving_);
    return whole;
}

std::optional<block_books::whole_block> block_books::look_up(void* p, std::size_t bytes,
                                                             allocator_call by) noexcept {
    const record* const r = expect_live({.found_by = by, .told_block = p, .told_bytes = bytes});
    if (r == nullptr) {
        return std::nullopt;
    }
    r->look_at_guards(by);
    return whole_of(*r);
}

void block_books::resize(void* p, std::size_t bytes) noexcept {
    record* const r = find(p);
    if (bytes == 0) {
        end(r, allocator_call::deallocate);
        return;
    }
    r->bytes = bytes;
    r->draw_guards();
}

void block_books::forget_all(allocator_call by) noexcept {
    if (all_freed_at_end_) {
        expect_all_freed(by);
    }
    while (live_.oldest != nullptr) {
        live_.oldest->look_at_guards(by);
        end(live_.oldest, by);
    }
}

void block_books::forget_since(std::uint64_t number) noexcept {
    while (live_.youngest != nullptr && live_.youngest->number >= number) {
        live_.youngest->look_at_guards(allocator_call::rollback);
        end(live_.youngest, allocator_call::rollback);
    }
}

void block_books::look_at_all(allocator_call by) const noexcept {
    for (const record* r = live_.oldest; r != nullptr; r = r->younger) {
        r->look_at_guards(by);
    }
    for (const record* r = quarantine_.oldest; r != nullptr; r = r->younger) {
        r->look_at_filling(by);
    }
}

void block_books::expect_all_freed(allocator_call by) const noexcept {
    if (live_.oldest == nullptr) {
        return;
    }
    misuse_report found = live_.oldest->report(misuse::never_freed, by);
    found.live_blocks = live_.count;
    for (const record* r = live_.oldest; r != nullptr; r = r->younger) {
        found.live_bytes += r->bytes;
    }
    report_misuse(found);
}

block_books::record*& block_books::bucket_of(const void* p) const noexcept {
    const std::uint64_t mixed = (reinterpret_cast<std::uintptr_t>(p)) * 0x9E3779B97F4A7C15U;
    return table_[mixed >> (64 - table_bits_)];
}

block_books::record* block_books::find(const void* p) const noexcept {
    record* r = table_ == nullptr ? nullptr : bucket_of(p);
    while (r != nullptr && r->block != p) {
        r = r->next_in_bucket;
    }
    return r;
}

/// Looks at all live blocks: only for a report.
const block_books::record* block_books::find_around(const void* p) const noexcept {
    const auto address = reinterpret_cast<std::uintptr_t>(p);
    for (const record* r = live_.oldest; r != nullptr; r = r->younger) {
        const auto begin = reinterpret_cast<std::uintptr_t>(r->block);
        if (address > begin && address < begin + r->bytes) {
            return r;
        }
    }
    return nullptr;
}

/// Doubles the table where it is full. A table that cannot grow serves on, with longer chains.
bool block_books::make_room() noexcept {
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
    for (const record_list* list : {&live_, &quarantine_, &leaving_, &dead_}) {
        for (record* r = list->oldest; r != nullptr; r = r->younger) {
            enter_in_table(r);
        }
    }
    return true;
}

void block_books::enter_in_table(record* r) noexcept {
    r->next_in_bucket = std::exchange(bucket_of(r->block), r);
}

void block_books::take_from_table(record* r) noexcept {
    record** link = &bucket_of(r->block);
    while (*link != r) {
        link = &(*link)->next_in_bucket;
    }
    *link = r->next_in_bucket;
}

block_books::record_list& block_books::list_of(const record& r) noexcept {
    switch (r.stage) {
    case block_stage::live:
        return live_;
    case block_stage::in_quarantine:
        return quarantine_;
    case block_stage::leaving:
        return leaving_;
    case block_stage::dead:
        break;
    }
    return dead_;
}

void block_books::end(record* r, allocator_call by) noexcept {
    r->ended_by = by;
    bury(r, live_);
}

void block_books::bury(record* r, record_list& from) noexcept {
    if (dead_.count == most_dead_records) {
        record* const forgotten = dead_.oldest;
        take_from_table(forgotten); // NOLINT(clang-analyzer-unix.Malloc): as in remove()
        dead_.remove(forgotten);
        drop_record()(forgotten);
    }
    // NOLINTNEXTLINE(clang-analyzer-unix.Malloc): as in remove()
    r->stage = block_stage::dead;
    from.move_to(dead_, r);
}

/// Returns: the record of the live block that the call was told of; null, after a report, where there is
/// none. A wrong size is reported too.
block_books::record* block_books::expect_live(const misuse_report& told) const noexcept {
    record* const r = find(told.told_block);
    misuse_report found = told;
    if (r == nullptr) {
        if (const record* const surrounding = find_around(told.told_block)) {
            found = surrounding->report(misuse::foreign_pointer, told.found_by);
            found.told_block = told.told_block;
            found.told_bytes = told.told_bytes;
            found.told_alignment = told.told_alignment;
        }
        report_misuse(found);
        return nullptr;
    }
    if (!r->lives()) {
        const bool freed = r->ended_by == allocator_call::deallocate;
        report_misuse(r->report(freed ? misuse::double_free : misuse::use_after_release, told.found_by));
        return nullptr;
    }
    if (told.told_bytes != r->bytes) {
        found = r->report(misuse::wrong_size, told.found_by);
        found.told_bytes = told.told_bytes;
        report_misuse(found);
    }
    return r;
}

} // namespace mallard
