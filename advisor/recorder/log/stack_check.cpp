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

/// libgcc is slow. Tests that need more of its walks set the variable.
std::uint32_t libgcc_one_in() noexcept {
    const char* const text = std::getenv("MALLARD_CHECK_LIBGCC_ONE_IN");
    const int number = text == nullptr ? 0 : std::atoi(text);
    return number > 0 ? static_cast<std::uint32_t>(number) : 1000;
}

struct walk_result {
    unsigned count = 0;
    std::array<address, most_levels> levels;
};

[[noreturn]] void fail(const char* walk, const unwind::stack& stack, const address* expected,
                       unsigned count) noexcept {
    std::array<char, 256> line;
    const auto print = [&](int length) { (void)!::write(2, line.data(), static_cast<std::size_t>(length)); };
    print(std::snprintf(line.data(), line.size(),
                        "stack check: differs from %s: %u levels, ended by %d; %u levels\n", walk,
                        stack.depth(), static_cast<int>(stack.end()), count));
    for (unsigned level = 0; level < stack.depth() || level < count; ++level) {
        print(std::snprintf(line.data(), line.size(), "%4u %16lx %16lx\n", level,
                            level < stack.depth() ? stack.marked_address(level) : 0,
                            level < count ? expected[level] : 0));
    }
    std::abort();
}

bool equal_levels(const unwind::stack& first, unsigned first_begin, const unwind::stack& second,
                  unsigned second_begin, unsigned count) noexcept {
    for (unsigned index = 0; index < count; ++index) {
        if (first.marked_address(first_begin + index) != second.marked_address(second_begin + index) ||
            first.at(first_begin + index).slot != second.at(second_begin + index).slot) {
            return false;
        }
    }
    return true;
}

/// Returns: true if both ends are equal, and the middle of `stack` may be that of an earlier event.
bool differ_in_middle(const unwind::stack& stack, const unwind::stack& full, unsigned events) noexcept {
    constexpr unsigned inner = unwind::stack::inner_levels;
    constexpr unsigned outer = unwind::stack::outer_levels;
    const unsigned most_events = stack.depth() / unwind::stack::part_levels + 2;
    return stack.depth() > inner + outer && full.depth() > inner + outer && events <= most_events &&
           equal_levels(stack, 0, full, 0, outer) &&
           equal_levels(stack, stack.depth() - inner, full, full.depth() - inner, inner);
}

/// Returns: true if the stack equals that of a full walk.
bool compare_with_full_walk(const unwind::stack& stack, caller from) noexcept {
    static thread_local unwind::stack full;
    static thread_local unsigned differing = 0;
    if (!full.is_open() && !full.open()) {
        return false;
    }
    full.forget();
    full.update(from, the_recording.rules);
    // A stack that was too deep lacks its outer levels until it is unwound from scratch.
    const bool cut = stack.end() == trace::stack_end::too_deep;
    const unsigned depth = cut ? std::min(full.depth(), stack.depth()) : full.depth();
    const bool is_equal = (cut || (full.end() == stack.end() && depth == stack.depth())) &&
                          equal_levels(stack, stack.depth() - depth, full, full.depth() - depth, depth);
    differing = is_equal ? 0 : differing + 1;
    if (!is_equal && differ_in_middle(stack, full, differing)) {
        with_former_middle.fetch_add(1, std::memory_order_relaxed);
        return false;
    }
    if (!is_equal) {
        static walk_result expected;
        expected.count = full.depth() < most_levels ? full.depth() : most_levels;
        for (unsigned level = 0; level < expected.count; ++level) {
            expected.levels[level] = full.marked_address(level);
        }
        fail("a full walk", stack, expected.levels.data(), expected.count);
    }
    by_full_walk.fetch_add(1, std::memory_order_relaxed);
    return true;
}

void compare_with_libgcc(const unwind::stack& stack) noexcept {
    static thread_local walk_result inside_first;
    inside_first.count = 0;
    _Unwind_Backtrace(
        [](_Unwind_Context* context, void* argument) {
            auto& result = *static_cast<walk_result*>(argument);
            int interrupted = 0;
            const auto at = static_cast<address>(_Unwind_GetIPInfo(context, &interrupted));
            if (at != 0 && result.count < most_levels) {
                result.levels[result.count++] =
                    arch::address_in_trace(at) | (interrupted != 0 ? trace::interrupted_level : 0);
            }
            return _URC_NO_REASON;
        },
        &inside_first);
    // The innermost frames belong to the recorder.
    unsigned first = 0;
    while (first < inside_first.count &&
           inside_first.levels[first] != stack.marked_address(stack.depth() - 1)) {
        ++first;
    }
    static thread_local walk_result outside_first;
    outside_first.count = inside_first.count - first;
    for (unsigned level = 0; level < outside_first.count; ++level) {
        outside_first.levels[level] = inside_first.levels[inside_first.count - 1 - level];
    }
    // libgcc stops at code without a description, where the recorder may be able to continue.
    unwind::frame_description none;
    const bool ends_early = outside_first.count > 0 && outside_first.count < stack.depth() &&
                            !unwind::description_at(outside_first.levels[0] - 1, none);
    const unsigned further = ends_early ? stack.depth() - outside_first.count : 0;
    bool is_equal = outside_first.count + further == stack.depth();
    for (unsigned level = 0; is_equal && level < outside_first.count; ++level) {
        is_equal = outside_first.levels[level] == stack.marked_address(level + further);
    }
    if (!is_equal && unwind::is_complete(stack.end())) {
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
    const bool is_equal = compare_with_full_walk(stack, from);
    incomplete.fetch_add(unwind::is_complete(stack.end()) ? 0 : 1, std::memory_order_relaxed);
    if (is_equal && stack.depth() > 0 && stack.depth() < most_levels && count++ % one_in == 0) {
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
