#include "recorder/log/stack_check.hpp"

#ifdef MALLARD_RECORDER_CHECKS_STACKS

#include "recorder/code/code_objects.hpp"
#include "recorder/log/recording.hpp"

#include <unistd.h>
#include <unwind.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace mallard::recorder {

namespace {

constexpr unsigned most_levels = 1U << 16;

constinit std::atomic<std::uint64_t> by_full_walk{0};
constinit std::atomic<std::uint64_t> by_libgcc{0};
constinit std::atomic<std::uint64_t> with_former_middle{0};
constinit std::atomic<std::uint64_t> incomplete{0};

/// libgcc is slow. A test that needs more of its walks says so.
std::uint32_t libgcc_one_in() noexcept {
    const char* const asked = std::getenv("MALLARD_CHECK_LIBGCC_ONE_IN");
    const int number = asked == nullptr ? 0 : std::atoi(asked);
    return number > 0 ? static_cast<std::uint32_t>(number) : 1000;
}

struct walked {
    unsigned count = 0;
    std::array<address, most_levels> levels;
};

[[noreturn]] void fail(const char* with, const unwind::stack& stack, const address* other,
                       unsigned count) noexcept {
    std::array<char, 256> line;
    const auto say = [&](int length) { (void)!::write(2, line.data(), static_cast<std::size_t>(length)); };
    say(std::snprintf(line.data(), line.size(),
                      "stack check: differs from %s: %u levels, ended by %d; %u levels\n", with,
                      stack.depth(), static_cast<int>(stack.end()), count));
    for (unsigned each = 0; each < stack.depth() || each < count; ++each) {
        say(std::snprintf(line.data(), line.size(), "%4u %16lx %16lx\n", each,
                          each < stack.depth() ? stack.address_of(each) : 0, each < count ? other[each] : 0));
    }
    std::abort();
}

bool are_same(const unwind::stack& one, unsigned one_begin, const unwind::stack& other, unsigned other_begin,
              unsigned count) noexcept {
    for (unsigned each = 0; each < count; ++each) {
        if (one.address_of(one_begin + each) != other.address_of(other_begin + each) ||
            one.at(one_begin + each).slot != other.at(other_begin + each).slot) {
            return false;
        }
    }
    return true;
}

/// Returns: true if the ends of both stacks are the same, and the middle of `stack` may be that of an event before.
bool differ_in_middle(const unwind::stack& stack, const unwind::stack& whole, unsigned events) noexcept {
    constexpr unsigned inner = unwind::stack::inner_levels;
    constexpr unsigned outer = unwind::stack::outer_levels;
    const unsigned most_events = stack.depth() / unwind::stack::part_levels + 2;
    return stack.depth() > inner + outer && whole.depth() > inner + outer && events <= most_events &&
           are_same(stack, 0, whole, 0, outer) &&
           are_same(stack, stack.depth() - inner, whole, whole.depth() - inner, inner);
}

/// Returns: true if the stack is that of a full walk.
bool compare_with_full_walk(const unwind::stack& stack, caller from) noexcept {
    static thread_local unwind::stack whole;
    static thread_local unsigned differing = 0;
    if (!whole.is_open() && !whole.open()) {
        return false;
    }
    whole.forget();
    whole.update(from.slot, from.frame_base, the_recording.rules);
    // A stack that was too deep lacks its outer levels until it is walked from there.
    const bool cut = stack.end() == trace::stack_end::too_deep;
    const unsigned depth = cut ? std::min(whole.depth(), stack.depth()) : whole.depth();
    const bool same = (cut || (whole.end() == stack.end() && depth == stack.depth())) &&
                      are_same(stack, stack.depth() - depth, whole, whole.depth() - depth, depth);
    differing = same ? 0 : differing + 1;
    if (!same && differ_in_middle(stack, whole, differing)) {
        with_former_middle.fetch_add(1, std::memory_order_relaxed);
        return false;
    }
    if (!same) {
        static walked other;
        other.count = whole.depth() < most_levels ? whole.depth() : most_levels;
        for (unsigned each = 0; each < other.count; ++each) {
            other.levels[each] = whole.address_of(each);
        }
        fail("a full walk", stack, other.levels.data(), other.count);
    }
    by_full_walk.fetch_add(1, std::memory_order_relaxed);
    return true;
}

void compare_with_libgcc(const unwind::stack& stack) noexcept {
    static thread_local walked inside_first;
    inside_first.count = 0;
    _Unwind_Backtrace(
        [](_Unwind_Context* context, void* into) {
            auto& all = *static_cast<walked*>(into);
            int interrupted = 0;
            const auto at = static_cast<address>(_Unwind_GetIPInfo(context, &interrupted));
            if (at != 0 && all.count < most_levels) {
                all.levels[all.count++] = at | (interrupted != 0 ? trace::interrupted_level : 0);
            }
            return _URC_NO_REASON;
        },
        &inside_first);
    // The innermost frames are the recorder's own.
    unsigned first = 0;
    while (first < inside_first.count && inside_first.levels[first] != stack.address_of(stack.depth() - 1)) {
        ++first;
    }
    static thread_local walked outside_first;
    outside_first.count = inside_first.count - first;
    for (unsigned each = 0; each < outside_first.count; ++each) {
        outside_first.levels[each] = inside_first.levels[inside_first.count - 1 - each];
    }
    // libgcc ends in code without a description, where the recorder may know the way.
    unwind::frame_description none;
    const bool ends_early = outside_first.count > 0 && outside_first.count < stack.depth() &&
                            !unwind::description_at(outside_first.levels[0] - 1, none);
    const unsigned further = ends_early ? stack.depth() - outside_first.count : 0;
    bool same = outside_first.count + further == stack.depth();
    for (unsigned each = 0; same && each < outside_first.count; ++each) {
        same = outside_first.levels[each] == stack.address_of(each + further);
    }
    if (!same && unwind::is_complete(stack.end())) {
        fail("libgcc's", stack, outside_first.levels.data(), outside_first.count);
    }
    by_libgcc.fetch_add(1, std::memory_order_relaxed);
}

struct at_end {
    ~at_end() { report_checks(); }
};
at_end report_at_end;

} // namespace

void check_stack(const unwind::stack& stack, caller from) noexcept {
    static const std::uint32_t one_in = libgcc_one_in();
    static thread_local std::uint32_t count = 0;
    const bool is_same = compare_with_full_walk(stack, from);
    incomplete.fetch_add(unwind::is_complete(stack.end()) ? 0 : 1, std::memory_order_relaxed);
    if (is_same && stack.depth() > 0 && stack.depth() < most_levels && count++ % one_in == 0) {
        compare_with_libgcc(stack);
    }
}

void report_checks() noexcept {
    std::array<char, 128> line;
    const int length = std::snprintf(
        line.data(), line.size(),
        "stack check: %lu as by a full walk, %lu as by libgcc, %lu with a former middle, %lu incomplete\n",
        by_full_walk.load(), by_libgcc.load(), with_former_middle.load(), incomplete.load());
    (void)!::write(2, line.data(), static_cast<std::size_t>(length));
}

} // namespace mallard::recorder

#endif
