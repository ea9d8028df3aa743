/// What a source of memory cannot give back: how much the process holds when all that is free was asked for.
#pragma once

#include "bench/harness/memory.hpp"
#include "bench/harness/row.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace bench {

/// Effects: as a source's trim(), where it has one.
template <class Source>
void trim_source([[maybe_unused]] Source& source) noexcept {
    if constexpr (requires { source.trim(); }) {
        source.trim();
    }
}

/// Some look for what is free once for each chunk that they have; after so many seconds nobody waits any
/// more.
inline constexpr unsigned longest_trim_seconds = 5;

/// Returns: the growth of memory since there were `before` bytes, were all that is free given back; nothing
/// where that takes too long, which `notes` then says. In a copy of the process, so that the others of its
/// figures are there all the same.
template <class Source>
std::optional<std::int64_t> trimmed_growth(Source& source, std::int64_t before, run_options& options) {
    const std::optional<std::int64_t> left = look_in_a_copy(longest_trim_seconds, [&source] {
        trim_source(source);
        trim_process();
        return inspect_memory().bytes;
    });
    if (!left) {
        options.notes.push_back("no trimmed_bytes: to give back what is free takes more than " +
                                std::to_string(longest_trim_seconds) + " s");
        return std::nullopt;
    }
    return *left - before;
}

} // namespace bench
