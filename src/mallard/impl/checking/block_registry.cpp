#include "block_record.hpp"
#include "memory_below.hpp"

#include <mallard/checking/allocation_site.hpp>
#include <mallard/checking/quarantine.hpp>
#include <mallard/core/alignment.hpp>
#include <mallard/core/sanitizer.hpp>
#include <mallard/impl/checking/block_registry.hpp>

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

namespace mallard::checking::inline MALLARD_LIBRARY {

namespace {

void report_size(const block_registry::record& r, std::size_t told_bytes, allocator_call by) noexcept {
    misuse_report found = r.report(misuse::wrong_size, by);
    found.told_bytes = told_bytes;
    report_misuse(found);
}

void expect_size(const block_registry::record& r, std::size_t told_bytes, allocator_call by) noexcept {
    if (!r.is_of(told_bytes)) {
        report_size(r, told_bytes, by);
    }
}

} // namespace

void block_registry::drop_record::operator()(record* unused) const noexcept {
    static_assert(std::is_trivially_destructible_v<record>);
    std::free(unused);
}

block_registry::~block_registry() {
    for (record_list* list : {&live_, &quarantine_, &leaving_, &dead_}) {
        list->drop_all();
    }
    forget_rollbacks(0);
    std::free(static_cast<void*>(table_));
}

std::size_t block_registry::front_bytes(std::size_t alignment) const noexcept {
    return core::align_up(guard_bytes_, alignment);
}

bool block_registry::has_representation(std::size_t bytes, std::size_t alignment) const noexcept {
    constexpr auto most_bytes = static_cast<std::size_t>(PTRDIFF_MAX);
    return bytes <= most_bytes - guard_bytes_ && front_bytes(alignment) <= most_bytes - guard_bytes_ - bytes;
}

block_registry::whole_block block_registry::around(std::size_t bytes, std::size_t alignment) const noexcept {
    return {.bytes = front_bytes(alignment) + bytes + guard_bytes_, .alignment = alignment};
}

std::size_t block_registry::bytes_within(const whole_block& whole) const noexcept {
    return whole.bytes - front_bytes(whole.alignment) - guard_bytes_;
}

block_registry::whole_block block_registry::whole_of(const record& r) const noexcept {
    whole_block whole = around(r.bytes, r.alignment);
    whole.p = r.block - front_bytes(r.alignment);
    return whole;
}

block_registry::new_record block_registry::open(std::size_t bytes, std::size_t alignment) noexcept {
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
                                            .asked_bytes = bytes,
                                            .alignment = alignment,
                                            .holder = holder_,
                                            .place = place == nullptr ? std::source_location{} : *place,
                                            .has_place = place != nullptr,
                                            .frames = static_cast<std::uint8_t>(stack.size())});
    std::ranges::copy(stack, opened->stack());
    return opened;
}

void* block_registry::enter(new_record opened, void* whole, std::size_t unused_bytes) noexcept {
    record* const r = opened.release();
    r->block = static_cast<std::byte*>(whole) + front_bytes(r->alignment);
    r->front_guard_bytes = static_cast<std::uint8_t>(guard_bytes_);
    r->back_guard_bytes = static_cast<std::uint8_t>(
        guard_bytes_ != 0 ? guard_bytes_ : std::min(unused_bytes, usual_guard_bytes));
    forget_former_at(r->block);
    r->number = next_number_++;
    enter_in_table(r);
    live_.push(r);
    r->draw_guards();
    return r->block;
}

/// Effects: forgets an earlier block at this address. It may still be live, if its mechanism was released
/// directly.
void block_registry::forget_former_at(const void* p) noexcept {
    if (record* const former = find(p)) {
        if (former->stage == block_stage::in_quarantine) {
            quarantine_bytes_ -= whole_of(*former).bytes;
        }
        take_from_table(former);
        list_of(*former).remove(former);
        drop_record()(former);
    }
}

sized_block block_registry::enter_larger(new_record opened, void* whole, std::size_t whole_bytes) noexcept {
    opened->bytes = bytes_within({.bytes = whole_bytes, .alignment = opened->alignment});
    const std::size_t bytes = opened->bytes;
    return {.p = enter(std::move(opened), whole), .bytes = bytes};
}

void block_registry::close(void* p, std::size_t bytes, std::size_t alignment) noexcept {
    constexpr auto by = allocator_call::deallocate;
    record* const r =
        expect_live({.found_by = by, .told_block = p, .told_bytes = bytes, .told_alignment = alignment});
    if (r == nullptr) {
        return;
    }
    expect_size(*r, bytes, by);
    if (alignment != r->alignment) {
        misuse_report found = r->report(misuse::wrong_alignment, by);
        found.told_alignment = alignment;
        report_misuse(found);
    }
    close(r);
}

void block_registry::close(void* p) noexcept {
    if (record* const r = expect_live({.found_by = allocator_call::deallocate, .told_block = p})) {
        close(r);
    }
}

void block_registry::close(record* r) noexcept {
    constexpr auto by = allocator_call::deallocate;
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

void block_registry::set_quarantine(quarantine_bounds bounds) noexcept {
    bounds_ = bounds;
}

void block_registry::leave(record* r) noexcept {
    quarantine_bytes_ -= whole_of(*r).bytes;
    r->stage = block_stage::leaving;
    quarantine_.move_to(leaving_, r);
}

void block_registry::let_leave(std::size_t count) noexcept {
    for (; count != 0 && quarantine_.oldest != nullptr; --count) {
        leave(quarantine_.oldest);
    }
}

void block_registry::let_leave_since(std::uint64_t number) noexcept {
    for (record* r = quarantine_.oldest; r != nullptr;) {
        record* const next = r->younger;
        if (r->number >= number) {
            leave(r);
        }
        r = next;
    }
}

std::optional<block_registry::whole_block> block_registry::next_leaving(allocator_call by) noexcept {
    record* const r = leaving_.oldest;
    if (r == nullptr) {
        return std::nullopt;
    }
    if (r->filled) {
        r->look_at_filling(by);
    }
    const whole_block whole = whole_of(*r);
    core::unpoison(whole.p, whole.bytes);
    bury(r, leaving_);
    return whole;
}

std::optional<block_registry::whole_block> block_registry::look_up(void* p, std::size_t bytes,
                                                                   allocator_call by) noexcept {
    const record* const r = expect_live({.found_by = by, .told_block = p, .told_bytes = bytes});
    if (r == nullptr) {
        return std::nullopt;
    }
    expect_size(*r, bytes, by);
    r->look_at_guards(by);
    return whole_of(*r);
}

std::optional<block_registry::whole_block> block_registry::look_up(const void* p,
                                                                   allocator_call by) const noexcept {
    return look_up_part(p, 0, by);
}

std::optional<block_registry::whole_block> block_registry::look_up_part(const void* p, std::size_t bytes,
                                                                        allocator_call by) const noexcept {
    const record* const r = expect_live({.found_by = by, .told_block = p});
    if (r == nullptr) {
        return std::nullopt;
    }
    r->look_at_guards(by);
    if (bytes > r->bytes) {
        report_size(*r, bytes, by);
        return std::nullopt;
    }
    return whole_of(*r);
}

sized_block block_registry::follow(void* p, std::size_t asked_bytes, const whole_block& now) noexcept {
    record* const r = find(p);
    take_from_table(r);
    r->block = static_cast<std::byte*>(now.p) + front_bytes(r->alignment);
    r->bytes = bytes_within(now);
    r->asked_bytes = asked_bytes;
    forget_former_at(r->block);
    enter_in_table(r);
    core::unpoison(r->block, r->bytes);
    r->draw_guards();
    return {.p = r->block, .bytes = r->bytes};
}

void block_registry::resize(void* p, std::size_t bytes) noexcept {
    record* const r = find(p);
    if (bytes == 0) {
        end(r, allocator_call::deallocate);
        return;
    }
    r->bytes = bytes;
    r->asked_bytes = bytes;
    r->draw_guards();
}

void block_registry::forget_all(allocator_call by) noexcept {
    ++ends_;
    last_end_ = by;
    forget_rollbacks(0);
    if (all_freed_at_end_) {
        expect_all_freed(by);
    }
    while (live_.oldest != nullptr) {
        live_.oldest->look_at_guards(by);
        leave_word(*live_.oldest, by);
        end(live_.oldest, by);
    }
}

void block_registry::forget_since(std::uint64_t number) noexcept {
    while (live_.youngest != nullptr && live_.youngest->number >= number) {
        live_.youngest->look_at_guards(allocator_call::rollback);
        leave_word(*live_.youngest, allocator_call::rollback);
        end(live_.youngest, allocator_call::rollback);
    }
    next_number_ = number;
    remember_rollback(number);
}

void block_registry::look_at_all(allocator_call by) const noexcept {
    for (const record* r = live_.oldest; r != nullptr; r = r->younger) {
        r->look_at_guards(by);
    }
    for (const record* r = quarantine_.oldest; r != nullptr; r = r->younger) {
        r->look_at_filling(by);
    }
}

void block_registry::expect_all_freed(allocator_call by) const noexcept {
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

block_registry::record_list& block_registry::list_of(const record& r) noexcept {
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

void block_registry::end(record* r, allocator_call by) noexcept {
    r->ended_by = by;
    bury(r, live_);
}

void block_registry::bury(record* r, record_list& from) noexcept {
    if (dead_.count == most_dead_records) {
        record* const forgotten = dead_.oldest;
        take_from_table(forgotten); // NOLINT(clang-analyzer-unix.Malloc): a record is in one list only
        dead_.remove(forgotten);
        drop_record()(forgotten);
    }
    // NOLINTNEXTLINE(clang-analyzer-unix.Malloc): a record is in one list only
    r->stage = block_stage::dead;
    from.move_to(dead_, r);
}

/// Returns: the record of the live block that the caller names; null, after a report, if there is none.
block_registry::record* block_registry::expect_live(const misuse_report& told) const noexcept {
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
        const bool again = told.found_by == allocator_call::deallocate;
        const misuse use = freed ? misuse::use_after_free : misuse::use_after_release;
        report_misuse(r->report(freed && again ? misuse::double_free : use, told.found_by));
        return nullptr;
    }
    return r;
}

} // namespace mallard::checking::inline MALLARD_LIBRARY
