/// Every allocator x adaptor x binding, as a table that the suite is instantiated from.
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
    bool reuses_blocks; ///< true if freed blocks are used again before a release
    model::make_subject make;
    /// True for allocators that ask again, for less or elsewhere, if the upstream fails: one failure may go unnoticed.
    bool asks_again = false;
    /// The room in front of an aligned block serves others, so the number of chunks depends on their addresses.
    bool fills_gaps = false;
};

/// Returns: all kinds of local allocators of that name.
[[nodiscard]] std::vector<kind> local_allocators(const std::string& allocator);

/// Returns: the upstreams, by every binding; and heaps over them, by every adaptor too.
[[nodiscard]] std::vector<kind> upstreams();

/// Effects: adds the heaps whose memory comes from the ledger.
void add_heaps(std::vector<kind>& to);

/// Effects: adds the heaps whose memory is not the ledger's.
void add_heaps_over_upstreams(std::vector<kind>& to);

/// Returns: the end of a test's name, as in counted_abstract_base.
[[nodiscard]] std::string name_of(const kind& k);

std::ostream& operator<<(std::ostream& out, const kind& k);

} // namespace contract
