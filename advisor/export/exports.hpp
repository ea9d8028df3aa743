/// Exports of a trace for programs that others wrote.
#pragma once

#include "advisor/export/export_error.hpp"
#include "advisor/symbols/code_map.hpp"
#include "trace/reader.hpp"

#include <filesystem>
#include <span>
#include <string_view>

namespace mallard::advisor {

/// Effects: writes the blocks of a process by their stacks. The same trace gives the same bytes, as long as the files of
/// code are the same.
/// Requires: `code` is made from the process's files of the same trace.
/// Throws: export_error if the file cannot be written, trace_error if the trace is damaged; then there is no new file.
using export_function = void(trace::reader& trace, std::size_t process, code_map& code,
                             const std::filesystem::path& to);

/// For pprof: profile.proto, compressed. Bytes and blocks: allocated, at the peak, at the end.
export_function write_pprof;
/// For dh_view.html of valgrind and for the Firefox Profiler: DHAT's JSON, version 2.
export_function write_dhat;
/// For flame graphs: a line for each stack, with the bytes allocated there; the blocks; the bytes that were alive at the
/// peak, and at the end.
export_function write_folded_bytes;
export_function write_folded_blocks;
export_function write_folded_peak;
export_function write_folded_end;

struct export_format {
    std::string_view name; ///< as the command line has it
    std::string_view text; ///< what it is for, in a few words
    export_function* write = nullptr;
};

std::span<const export_format> export_formats() noexcept;

/// Returns: the format of that name; null if there is none.
const export_format* find_export_format(std::string_view name) noexcept;

} // namespace mallard::advisor
