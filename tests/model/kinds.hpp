/// The list of allocators, from which the suites of contract, misuse, fuzz and soak take their subjects.
#pragma once

#include "model/subject.hpp"

#include <iosfwd>
#include <string>
#include <vector>

namespace model {

/// The properties of a recipe that tests depend on.
struct traits {
    bool from_ledger = true; ///< its memory
    bool any_size = true;    ///< up to 100 KiB, at alignments up to 4096
    /// True if a request can succeed although the upstream fails for good: another allocator serves it, or one in between has
    /// room for a chunk that is smaller than planned.
    bool has_other_memory = false;
    /// True if padding in front of aligned blocks is reused, so that the number of chunks depends on their addresses.
    bool fills_gaps = false;
    /// True if a failed request leaves the state unchanged. Other allocators first try to make room, which may shrink the
    /// quarantine or grow the pool.
    bool leaves_no_trace = true;
};

struct kind : traits {
    std::string allocator;
    std::string adaptor;
    std::string binding;
    bounds most;
    make_subject make;

    [[nodiscard]] std::string name() const { return allocator + "/" + adaptor + "/" + binding; }

    /// Returns: true if freed blocks are reused before a release.
    [[nodiscard]] bool reuses_blocks() const noexcept { return most.uses_again && adaptor != "checked"; }
};

/// Returns: every allocator by itself, some in each adaptor and by each binding; in a thorough build all of them.
[[nodiscard]] const std::vector<kind>& kinds();

/// Returns: the kinds for which `is_chosen(kind)`.
template <class Predicate>
[[nodiscard]] std::vector<kind> kinds_if(Predicate is_chosen) {
    std::vector<kind> chosen;
    for (const kind& k : kinds()) {
        if (is_chosen(k)) {
            chosen.push_back(k);
        }
    }
    return chosen;
}

/// Returns: the name of a test with this parameter.
[[nodiscard]] std::string test_name(const kind& k);

std::ostream& operator<<(std::ostream& out, const kind& k);

} // namespace model
