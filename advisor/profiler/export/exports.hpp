/// Exports of a trace for other tools.
#pragma once

#include "profiler/symbols/code_map.hpp"
#include "trace/reader.hpp"

#include <cstdio>
#include <stdexcept>
#include <string>

namespace mallard::advisor {

/// The text names the remedy.
class export_error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// Returns: the blocks of a process by the stacks that allocated them, as a line of JSON: lists of the rows of `exports`,
/// `loaded_files`, `frames` and `calls`, tables of a profile. Equal traces and equal files of code give equal bytes.
/// Requires: `code` maps the code files of the process in the trace.
/// Throws: trace_error if the trace is damaged.
std::string stacks_document(trace::reader& trace, std::size_t process, code_map& code);

/// Effects: writes the requests in order, as history/history.hpp describes the file. Errors of `to` are left to the caller.
/// Throws: export_error if there is none, trace_error if the trace is damaged.
void write_history(trace::reader& trace, std::size_t process, std::FILE* to);

} // namespace mallard::advisor
