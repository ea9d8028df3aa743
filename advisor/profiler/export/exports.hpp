/// Exports of a trace for other tools.
#pragma once

#include "profiler/symbols/code_map.hpp"
#include "trace/reader.hpp"

#include <filesystem>
#include <span>
#include <stdexcept>
#include <string_view>

namespace mallard::advisor {

/// The error of all exports. The text names the file, the failure and the remedy.
class export_error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// Effects: writes the blocks of a process by their stacks. Equal traces and equal files of code give equal bytes.
/// Requires: `code` maps the code files of the process in the trace.
/// Throws: export_error if the file cannot be written, trace_error if the trace is damaged; no new file remains then.
using export_function = void(trace::reader& trace, std::size_t process, code_map& code,
                             const std::filesystem::path& to);

/// For pprof: profile.proto, compressed, with bytes and blocks: allocated, at the peak, at the end.
export_function write_pprof;
/// For dh_view.html of valgrind and for the Firefox Profiler: DHAT's JSON, version 2.
export_function write_dhat;
/// For flame graphs: a line for each stack, with its allocated bytes, its allocated blocks, its live bytes at the
/// peak, or at the end.
export_function write_folded_bytes;
export_function write_folded_blocks;
export_function write_folded_peak;
export_function write_folded_end;

/// For `--history`: the requests in order, as history/history.hpp describes the file.
export_function write_history;

struct export_format {
    std::string_view name; ///< on the command line
    std::string_view text; ///< a short description for the help
    export_function* write = nullptr;
};

std::span<const export_format> export_formats() noexcept;

/// Returns: the format with that name, or null.
const export_format* find_export_format(std::string_view name) noexcept;

} // namespace mallard::advisor
