/// The parts of the document that describe the recording and its completeness.
#pragma once

#include "profiler/report/json_writer.hpp"
#include "profiler/report/profile_report.hpp"

#include <string>

namespace mallard::advisor {

struct completeness {
    std::uint64_t complete = 0; ///< events
    std::string reason;         ///< the reason for withholding scopes; empty if they are shown
};

completeness measure_completeness(const analysis& results, const trace::process& process);

void write_trace_and_processes(json_writer& to, const report_request& request);
void write_process(json_writer& to, const analysis& results, const trace::process& process);
void write_completeness(json_writer& to, const analysis& results, const completeness& summary);

} // namespace mallard::advisor
