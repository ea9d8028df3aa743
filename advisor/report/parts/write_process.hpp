/// The parts of the document that say what was recorded, and how completely.
#pragma once

#include "advisor/report/json_writer.hpp"
#include "advisor/report/profile_report.hpp"

#include <string>

namespace mallard::advisor {

struct completeness {
    std::uint64_t complete = 0; ///< events
    std::string reason;         ///< for which scopes are withheld; empty if they are shown
};

completeness completeness_of(const analysis& of, const trace::process& process);

void write_trace_and_processes(json_writer& to, const report_request& request);
void write_process(json_writer& to, const analysis& of, const trace::process& process);
void write_completeness(json_writer& to, const analysis& of, const completeness& found);

} // namespace mallard::advisor
