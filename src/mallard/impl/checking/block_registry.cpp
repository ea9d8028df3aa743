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

namespace mallard::checking { inline namespace MALLARD_LIBRARY {

namespace {

void report_size(const block_registry::record& r, std::size_t passed_bytes, allocator_call by) noexcept {
    misuse_report report = r.report(misuse::wrong_size, by);
    report.passed_bytes = passed_bytes;
    report_misuse(report);
}

void expect_size(const block_registry::record& r, std::size_t passed_bytes, allocator_call by) noexcept {
    if (!r.accepts_size(passed_bytes)) {
        report_size(r, passed_bytes, by);
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
    // Volatile, because a compiler may leave out what it writes to an object that ends.
    *static_cast<volatile std::uint64_t*>(&life_) = destroyed;
}

std::size_t block_registry::front_bytes(std::size_t alignment) const noexcept {
    return core::align_up(guard_bytes_, alignment);
}

bool block_registry::has_representation(std::size_t bytes, std::size_t alignment) const noexcept {
    constexpr auto most_bytes = static_cast<std::size_t>(PTRDIFF_MAX);
    return bytes <= most_bytes - guard_bytes_ && front_bytes(alignment) <= most_bytes - guard_bytes_ - bytes;
}

block_registry::outer_block block_registry::around(std::size_t bytes, std::size_t alignment) const noexcept {
    return {.bytes = front_bytes(alignment) + bytes + guard_bytes_, .alignment = alignment};
}

std::size_t block_registry::bytes_within(const outer_block& outer) const noexcept {
    return outer.bytes - front_bytes(outer.alignment) - guard_bytes_;
}

block_registry::outer_block block_registry::to_outer(const record& r) const noexcept {
    outer_block outer = around(r.bytes, r.alignment);
    outer.p = r.block - front_bytes(r.alignment);
    return outer;
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
                                            .requested_bytes = bytes,
                                            .alignment = alignment,
                                            .holder = holder_,
                                            .place = place == nullptr ? std::source_location{} : *place,
                                            .has_place = place != nullptr,
                                            .frames = static_cast<std::uint8_t>(stack.size())});
    std::ranges::copy(stack, opened->stack());
    return opened;
}

void* block_registry::enter(new_record opened, void* outer, std::size_t unused_bytes) noexcept {
    record* const r = opened.release();
    r->block = static_cast<std::byte*>(outer) + front_bytes(r->alignment);
    r->front_guard_bytes = static_cast<std::uint8_t>(guard_bytes_);
    r->back_guard_bytes = static_cast<std::uint8_t>(
        guard_bytes_ != 0 ? guard_bytes_ : std::min(unused_bytes, default_guard_bytes));
    forget_block_at(r->block);
    r->number = next_number_++;
    enter_in_table(r);
    live_.push(r);
    r->draw_guards();
    return r->block;
}

/// Effects: forgets the earlier block at this address, but keeps the last that a release, a rewind or a rollback ended. It
/// may still be live, if its mechanism was released directly.
void block_registry::forget_block_at(const void* p) noexcept {
    record* former = find(p);
    if (former != nullptr && former->was_taken()) {
        former = find_earlier(*former);
    }
    if (former != nullptr) {
        if (former->stage == block_stage::in_quarantine) {
            quarantine_bytes_ -= to_outer(*former).bytes;
        }
        take_from_table(former);
        list_for(*former).remove(former);
        drop_record()(former);
    }
}

sized_block block_registry::enter_larger(new_record opened, void* outer, std::size_t outer_bytes) noexcept {
    opened->bytes = bytes_within({.bytes = outer_bytes, .alignment = opened->alignment});
    const std::size_t bytes = opened->bytes;
    return {.p = enter(std::move(opened), outer), .bytes = bytes};
}

void block_registry::close(void* p, std::size_t bytes, std::size_t alignment) noexcept {
    constexpr auto by = allocator_call::deallocate;
    record* const r = expect_live(
        {.detected_by = by, .passed_block = p, .passed_bytes = bytes, .passed_alignment = alignment});
    if (r == nullptr) {
        return;
    }
    expect_size(*r, bytes, by);
    if (alignment != r->alignment) {
        misuse_report report = r->report(misuse::wrong_alignment, by);
        report.passed_alignment = alignment;
        report_misuse(report);
    }
    close(r);
}

void block_registry::close(void* p) noexcept {
    if (record* const r = expect_live({.detected_by = allocator_call::deallocate, .passed_block = p})) {
        close(r);
    }
}

void block_registry::close(record* r) noexcept {
    constexpr auto by = allocator_call::deallocate;
    r->look_at_guards(by);
    r->ended_by = by;
    const quarantine_bounds bounds = bounds_.value_or(default_quarantine());
    const std::size_t held_bytes = to_outer(*r).bytes;
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
    quarantine_bytes_ -= to_outer(*r).bytes;
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

std::optional<block_registry::outer_block> block_registry::next_leaving(allocator_call by) noexcept {
    record* const r = leaving_.oldest;
    if (r == nullptr) {
        return std::nullopt;
    }
    if (r->filled) {
        r->look_at_filling(by);
    }
    const outer_block outer = to_outer(*r);
    core::unpoison(outer.p, outer.bytes);
    bury(r, leaving_);
    return outer;
}

std::optional<block_registry::outer_block> block_registry::look_up(void* p, std::size_t bytes,
                                                                   allocator_call by) noexcept {
    const record* const r = expect_live({.detected_by = by, .passed_block = p, .passed_bytes = bytes});
    if (r == nullptr) {
        return std::nullopt;
    }
    expect_size(*r, bytes, by);
    r->look_at_guards(by);
    return to_outer(*r);
}

std::optional<block_registry::outer_block> block_registry::look_up(const void* p,
                                                                   allocator_call by) const noexcept {
    return look_up_part(p, 0, by);
}

std::optional<block_registry::outer_block> block_registry::look_up_part(const void* p, std::size_t bytes,
                                                                        allocator_call by) const noexcept {
    const record* const r = expect_live({.detected_by = by, .passed_block = p});
    if (r == nullptr) {
        return std::nullopt;
    }
    r->look_at_guards(by);
    if (bytes > r->bytes) {
        report_size(*r, bytes, by);
        return std::nullopt;
    }
    return to_outer(*r);
}

sized_block block_registry::follow(void* p, std::size_t requested_bytes, const outer_block& outer) noexcept {
    record* const r = find(p);
    take_from_table(r);
    r->block = static_cast<std::byte*>(outer.p) + front_bytes(r->alignment);
    r->bytes = bytes_within(outer);
    r->requested_bytes = requested_bytes;
    forget_block_at(r->block);
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
    r->requested_bytes = bytes;
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
        report_taken_block(*live_.oldest, by);
        end(live_.oldest, by);
    }
}

void block_registry::forget_since(std::uint64_t number) noexcept {
    while (live_.youngest != nullptr && live_.youngest->number >= number) {
        live_.youngest->look_at_guards(allocator_call::rollback);
        report_taken_block(*live_.youngest, allocator_call::rollback);
        end(live_.youngest, allocator_call::rollback);
    }
    next_number_ = number;
    remember_rollback(number);
}

bool block_registry::has_room_for(const block_registry& other) noexcept {
    return other.live_.count == 0 || make_room();
}

void block_registry::adopt(block_registry& other) noexcept {
    ++other.ends_;
    other.last_end_ = allocator_call::adopt;
    other.forget_rollbacks(0);
    while (record* const r = other.live_.oldest) {
        static_cast<void>(make_room()); // a table that is full has longer chains
        other.take_from_table(r);
        other.live_.remove(r);
        forget_block_at(r->block);
        r->number = next_number_++;
        enter_in_table(r);
        live_.push(r);
    }
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
    misuse_report report = live_.oldest->report(misuse::never_freed, by);
    report.live_blocks = live_.count;
    for (const record* r = live_.oldest; r != nullptr; r = r->younger) {
        report.live_bytes += r->bytes;
    }
    report_misuse(report);
}

block_registry::record_list& block_registry::list_for(const record& r) noexcept {
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
block_registry::record* block_registry::expect_live(const misuse_report& arguments) const noexcept {
    record* const r = find(arguments.passed_block);
    misuse_report report = arguments;
    if (r == nullptr) {
        if (const record* const surrounding = find_around(arguments.passed_block)) {
            report = surrounding->report(misuse::foreign_pointer, arguments.detected_by);
            report.passed_block = arguments.passed_block;
            report.passed_bytes = arguments.passed_bytes;
            report.passed_alignment = arguments.passed_alignment;
        }
        report_misuse(report);
        return nullptr;
    }
    const auto is_meant = [&arguments](const record& block) {
        return block.accepts_size(arguments.passed_bytes) && block.alignment == arguments.passed_alignment;
    };
    if (r->lives() && (arguments.passed_alignment == 0 || is_meant(*r))) {
        return r;
    }
    // The caller may not know that its block was ended, and that the address is another block's.
    const record* const earlier = find_earlier(*r);
    const bool may_be_earlier = earlier != nullptr && is_meant(*earlier);
    if (may_be_earlier && !is_meant(*r)) {
        report_misuse(earlier->report(misuse::use_after_release, arguments.detected_by));
        return nullptr;
    }
    if (!r->lives()) {
        const bool freed = r->ended_by == allocator_call::deallocate;
        const bool deallocating = arguments.detected_by == allocator_call::deallocate;
        const misuse use = freed ? misuse::use_after_free : misuse::use_after_release;
        misuse_report found =
            r->report(freed && deallocating ? misuse::double_free : use, arguments.detected_by);
        found.ended_before = may_be_earlier && freed ? earlier->ended_by : allocator_call::none;
        report_misuse(found);
        return nullptr;
    }
    return r;
}

}} // namespace mallard::checking::MALLARD_LIBRARY
