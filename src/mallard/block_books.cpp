#include <mallard/core/alignment.hpp>
#include <mallard/core/allocation_site.hpp>
#include <mallard/core/block_books.hpp>
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

/// The return addresses follow it.
struct block_books::record {
    std::byte* block = nullptr;
    std::size_t bytes = 0;
    std::size_t alignment = 0;
    std::uint64_t number = 0;
    record* next_in_bucket = nullptr;
    record* older = nullptr;
    record* younger = nullptr;
    std::source_location place;
    bool has_place = false;
    allocator_call ended_by = allocator_call::none; ///< none while the block lives
    std::size_t frames = 0;

    [[nodiscard]] void** stack() noexcept { return reinterpret_cast<void**>(this + 1); }
    [[nodiscard]] void* const* stack() const noexcept { return reinterpret_cast<void* const*>(this + 1); }

    [[nodiscard]] bool lives() const noexcept { return ended_by == allocator_call::none; }

    [[nodiscard]] misuse_report report(misuse what, allocator_call found_by) const noexcept {
        return {.what = what,
                .found_by = found_by,
                .block = block,
                .bytes = bytes,
                .alignment = alignment,
                .ended_by = ended_by,
                .place = has_place ? &place : nullptr,
                .stack = {stack(), frames}};
    }
};

namespace {

constexpr unsigned first_table_bits = 4;

/// Differs from byte to byte, so that a zone that was moved is not taken for an intact one.
constexpr std::byte guard_byte(std::size_t i) noexcept {
    return static_cast<std::byte>(0xC3 + 5 * i);
}

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

void block_books::record_list::drop_all() noexcept {
    while (oldest != nullptr) {
        drop_record()(std::exchange(oldest, oldest->younger));
    }
}

block_books::~block_books() {
    live_.drop_all();
    dead_.drop_all();
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

void* block_books::enter(new_record opened, void* whole) noexcept {
    record* const r = opened.release();
    r->block = static_cast<std::byte*>(whole) + front_bytes(r->alignment);
    // A block of before, at the same address; a living one where somebody released the mechanism itself.
    if (record* const former = find(r->block)) {
        take_from_table(former);
        (former->lives() ? live_ : dead_).remove(former);
        drop_record()(former);
    }
    r->number = next_number_++;
    enter_in_table(r);
    live_.push(r);
    draw_guards(*r);
    return r->block;
}

std::optional<block_books::whole_block> block_books::close(void* p, std::size_t bytes,
                                                           std::size_t alignment) noexcept {
    constexpr auto by = allocator_call::deallocate;
    record* const r =
        expect_live({.found_by = by, .told_block = p, .told_bytes = bytes, .told_alignment = alignment});
    if (r == nullptr) {
        return std::nullopt;
    }
    if (alignment != r->alignment) {
        misuse_report found = r->report(misuse::wrong_alignment, by);
        found.told_alignment = alignment;
        report_misuse(found);
    }
    look_at_guards(*r, by);
    const whole_block whole = whole_of(*r);
    unpoison(whole.p, whole.bytes);
    bury(r, by);
    return whole;
}

std::optional<block_books::whole_block> block_books::look_up(void* p, std::size_t bytes,
                                                             allocator_call by) noexcept {
    const record* const r = expect_live({.found_by = by, .told_block = p, .told_bytes = bytes});
    if (r == nullptr) {
        return std::nullopt;
    }
    look_at_guards(*r, by);
    return whole_of(*r);
}

void block_books::resize(void* p, std::size_t bytes) noexcept {
    record* const r = find(p);
    if (bytes == 0) {
        bury(r, allocator_call::deallocate);
        return;
    }
    r->bytes = bytes;
    draw_guards(*r);
}

void block_books::forget_all(allocator_call by) noexcept {
    if (all_freed_at_end_) {
        expect_all_freed(by);
    }
    while (live_.oldest != nullptr) {
        look_at_guards(*live_.oldest, by);
        bury(live_.oldest, by);
    }
}

void block_books::forget_since(std::uint64_t number) noexcept {
    while (live_.youngest != nullptr && live_.youngest->number >= number) {
        look_at_guards(*live_.youngest, allocator_call::rollback);
        bury(live_.youngest, allocator_call::rollback);
    }
}

void block_books::look_at_all(allocator_call by) const noexcept {
    for (const record* r = live_.oldest; r != nullptr; r = r->younger) {
        look_at_guards(*r, by);
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
    const std::size_t records = live_.count + dead_.count;
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
    for (const record_list* list : {&live_, &dead_}) {
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

void block_books::bury(record* r, allocator_call by) noexcept {
    if (dead_.count == most_dead_records) {
        record* const forgotten = dead_.oldest;
        take_from_table(forgotten); // NOLINT(clang-analyzer-unix.Malloc): as in remove()
        dead_.remove(forgotten);
        drop_record()(forgotten);
    }
    live_.remove(r);
    r->ended_by = by;
    dead_.push(r);
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

void block_books::draw_guards(const record& r) const noexcept {
    std::byte* const before = r.block - guard_bytes_;
    std::byte* const behind = r.block + r.bytes;
    for (std::size_t i = 0; i < guard_bytes_; ++i) {
        before[i] = guard_byte(i);
        behind[i] = guard_byte(i);
    }
    poison(before, guard_bytes_);
    poison(behind, guard_bytes_);
}

void block_books::look_at_guards(const record& r, allocator_call by) const noexcept {
    std::byte* const before = r.block - guard_bytes_;
    std::byte* const behind = r.block + r.bytes;
    unpoison(before, guard_bytes_);
    unpoison(behind, guard_bytes_);
    const auto report = [&](misuse what, std::ptrdiff_t changed_byte) {
        misuse_report found = r.report(what, by);
        found.changed_byte = changed_byte;
        report_misuse(found);
    };
    for (std::size_t distance = 1; distance <= guard_bytes_; ++distance) {
        if (before[guard_bytes_ - distance] != guard_byte(guard_bytes_ - distance)) {
            report(misuse::write_before_start, -static_cast<std::ptrdiff_t>(distance));
            break;
        }
    }
    for (std::size_t i = 0; i < guard_bytes_; ++i) {
        if (behind[i] != guard_byte(i)) {
            report(misuse::write_past_end, static_cast<std::ptrdiff_t>(r.bytes + i));
            break;
        }
    }
    // Drawn anew, so that a write is reported once.
    draw_guards(r);
}

} // namespace mallard
