/// Runs a stream of operations on an allocator and looks for the first thing that is wrong.
#pragma once

#include "model/operation.hpp"
#include "model/shadow_map.hpp"
#include "model/subject.hpp"

#include <string>

namespace model {

struct finding {
    fault what = fault::none;
    std::string text;

    explicit operator bool() const { return what != fault::none; }
};

/// Effects: makes a subject, runs the stream on it, releases and destroys it.
/// Returns: the first fault: a block that is misaligned, overlaps another or has changed bytes; after the end, a
/// lost chunk or another complaint of the ledger.
[[nodiscard]] finding check(const stream& operations, const make_subject& make);

/// Returns: the part of `operations` that still has a fault of that kind and of which nothing can be left
/// out; its sizes and alignments as small as halving makes them. Requires: check() finds that fault.
[[nodiscard]] stream shrink(stream operations, fault what, const make_subject& make);

} // namespace model
