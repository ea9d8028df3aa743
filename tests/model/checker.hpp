/// Runs a stream of operations on an allocator and reports the first fault.
#pragma once

#include "model/operation.hpp"
#include "model/shadow_map.hpp"
#include "model/subject.hpp"

#include <string>

namespace model {

struct finding {
    fault kind = fault::none;
    std::string text;

    explicit operator bool() const { return kind != fault::none; }
};

/// Effects: constructs a subject, runs the stream on it, releases and destroys it.
/// Returns: the first fault: a block that is misaligned, overlaps another or has changed bytes; after the run, a
/// leaked chunk or another complaint of the ledger.
[[nodiscard]] finding check(const stream& operations, const make_subject& make);

/// Returns: a minimal part of `operations` that still has a fault of the kind, with sizes and alignments reduced by
/// halving.
/// Requires: check() finds a fault of the kind.
[[nodiscard]] stream shrink(stream operations, fault kind, const make_subject& make);

} // namespace model
