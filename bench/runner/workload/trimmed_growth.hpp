/// The memory that a source holds after a trim.
#pragma once

#include "runner/harness/memory.hpp"
#include "runner/harness/row.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace bench {

/// Effects: calls the source's trim(), if it has one.
template <class Source>
void trim_source([[maybe_unused]] Source& source) noexcept {
    if constexpr (requires { source.trim(); }) {
        source.trim();
    }
}

/// Some sources search all their chunks for each chunk that they trim. After this time the figure is omitted.
inline constexpr unsigned longest_trim_seconds = 5;

/// Effects: trims in a forked child, so that later figures are not affected. Adds a note if it takes too long.
/// Returns: the growth of memory over `baseline` bytes after the trim; nothing if it takes too long.
template <class Source>
std::optional<std::int64_t> trimmed_growth(Source& source, std::int64_t baseline, run_options& options) {
    const std::optional<std::int64_t> trimmed_bytes = inspect_in_child(longest_trim_seconds, [&source] {
        trim_source(source);
        trim_process();
        return inspect_memory().bytes;
    });
    if (!trimmed_bytes) {
        options.notes.push_back("no trimmed_bytes: giving back free memory takes more than " +
                                std::to_string(longest_trim_seconds) + " s");
        return std::nullopt;
    }
    return *trimmed_bytes - baseline;
}

} // namespace bench
