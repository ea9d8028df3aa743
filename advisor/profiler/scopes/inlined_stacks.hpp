/// Stacks with a level for each function that the compiler inlined into its caller.
///
///     recorded   main 0x1240                             return addresses
///     expanded   main (calls handle at 0x1200) 0x1240    handle is inlined at 0x1200 and behind
///
///     level   | 1 bit: calls an inlined function | 15 bits: inlined functions outside of it | 48 bits: as recorded |
///
/// Data model: the recorded tree, and one with more levels, whose stacks have the same ends. A level that calls an inlined
/// function has the lowest address of the inlined code instead of a return address, so that all calls which the inlined
/// function makes have the same outer levels, as those of a compiled function have. Without inlined functions there is no
/// second tree.
/// Invariants: the innermost level of each recorded one has its address. A recorded level has at most 48 bits.
#pragma once

#include "trace/context_tree.hpp"
#include "trace/event.hpp"
#include "trace/large_memory.hpp"

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace mallard::advisor {

inline constexpr unsigned recorded_level_bits = 8 * trace::level_bytes;
inline constexpr unsigned most_inlined = 1000; ///< at one address; functions further inside have no level

/// Returns: the level as a trace has it.
constexpr std::uint64_t recorded_level(std::uint64_t level) noexcept {
    return level & ((std::uint64_t{1} << recorded_level_bits) - 1);
}
/// Returns: the inlined functions outside of the level, up to the compiled one.
constexpr unsigned inlined_depth(std::uint64_t level) noexcept {
    return static_cast<unsigned>(level >> recorded_level_bits) & 0x7fffU;
}
/// Returns: true if the function of the next level is inlined into that of this one.
constexpr bool calls_inlined(std::uint64_t level) noexcept {
    return level >> 63 != 0;
}
constexpr std::uint64_t inlined_level(unsigned depth, std::uint64_t recorded) noexcept {
    return std::uint64_t{depth} << recorded_level_bits | recorded;
}
constexpr std::uint64_t calling_level(unsigned depth, std::uint64_t recorded) noexcept {
    return std::uint64_t{1} << 63 | inlined_level(depth, recorded);
}

/// Adds the levels of a recorded level to the list, the outermost first: the level itself if nothing is inlined there.
using level_lookup = std::function<void(std::uint64_t recorded, std::vector<std::uint64_t>& levels)>;

class inlined_stacks {
public:
    /// Requires: the tree outlives the object.
    /// Throws: std::length_error if there are 2^32 nodes.
    /// Complexity: O(nodes of both trees), and a lookup for each address.
    inlined_stacks(const trace::context_tree& recorded, const level_lookup& find_levels);

    [[nodiscard]] const trace::context_tree& contexts() const noexcept {
        return nodes_.empty() ? *recorded_ : expanded_;
    }

    /// Effects: gives the events, in their order, the stacks of contexts(). A call of an inlined function goes on while its
    /// compiled function does, and its address stays.
    /// Complexity: for each event, O(levels that are not kept).
    void expand(std::span<trace::event> events);

private:
    /// The stack of a thread's last event.
    struct thread_stack {
        trace::context_id context = 0;
        std::vector<std::uint32_t> depths; ///< of each recorded level, in `expanded_`
    };

    void expand(trace::event& event);

    const trace::context_tree* recorded_;
    trace::context_tree expanded_;
    trace::large_vector<trace::context_id>
        nodes_; ///< of `expanded_`, by recorded node; empty if nothing is inlined
    std::vector<thread_stack> threads_;
};

} // namespace mallard::advisor
