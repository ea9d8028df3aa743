/// The table of allocator x adaptor x binding from which the suite is instantiated.
#pragma once

#include "model/subject.hpp"

#include <iosfwd>
#include <string>
#include <vector>

namespace contract {

struct kind {
    std::string allocator;
    std::string adaptor;
    std::string binding;
    bool reuses_blocks; ///< true if freed blocks are reused before a release
    model::make_subject make;
    /// True for allocators that retry a failed upstream request with a smaller size or elsewhere, so that a single failure
    /// may not reach the caller.
    bool asks_again = false;
    /// True if padding in front of aligned blocks is reused, so that the number of chunks depends on their addresses.
    bool fills_gaps = false;
};

/// Returns: all kinds of local allocators of that name.
[[nodiscard]] std::vector<kind> local_allocators(const std::string& allocator);

/// Returns: the upstreams by every binding, and heaps over them by every binding and adaptor.
[[nodiscard]] std::vector<kind> upstreams();

/// Effects: adds the heaps whose memory comes from the ledger.
void add_heaps(std::vector<kind>& to);

/// Effects: adds the heaps whose memory is not the ledger's.
void add_heaps_over_upstreams(std::vector<kind>& to);

/// Returns: the last part of a test name, such as counted_abstract_base.
[[nodiscard]] std::string kind_name(const kind& k);

std::ostream& operator<<(std::ostream& out, const kind& k);

} // namespace contract
