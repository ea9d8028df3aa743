#include "runner/harness/row.hpp"

#include "runner/harness/page_size.hpp"
#include "runner/harness/process.hpp"

#include <cstdio>

namespace bench {

std::string to_json(const row& result, const run_options& options) {
    json_writer json;
    json.open('{').member("format", row_format).member("experiment", result.experiment);
    json.key("parameters").open('{');
    result.write_parameters(json);
    json.member("pages", page_size_names[static_cast<std::size_t>(pages_in_use())])
        .close('}')
        .member("strategy", options.strategy)
        .member("repetition", options.repetition)
        .member("seed", options.seed)
        .member("status", result.out_of_memory ? "out_of_memory" : "ok")
        .member("cpu_ns", result.timed.cpu_ns)
        .member("wall_ns", result.timed.wall_ns)
        .member("user_ns", result.timed.user_ns)
        .member("system_ns", result.timed.system_ns)
        .member("operations", result.operations)
        .member("iterations", result.iterations)
        .member("minor_faults", result.timed.minor_faults)
        .member("major_faults", result.timed.major_faults)
        .member("peak_rss_bytes", peak_rss_bytes());
    if (!result.checksum.empty()) {
        json.member("checksum", result.checksum);
    }
    if (result.allocations && result.deallocations) {
        json.member("allocations", *result.allocations).member("deallocations", *result.deallocations);
    }
    json.member("spills", result.spills);
    if (!result.figures.empty()) {
        json.key("figures").open('{');
        for (const auto& [name, value] : result.figures) {
            json.member(name, value);
        }
        json.close('}');
    }
    json.member("malloc", malloc_in_use());
    if (options.pinned_cpu) {
        json.member("pinned_cpu", *options.pinned_cpu);
    }
    json.member("load1", load_average()).key("notes").open('[');
    for (const std::string& note : options.notes) {
        json.value(note);
    }
    return json.close(']').close('}').text();
}

std::string to_hexadecimal(std::uint64_t n) {
    char digits[17];
    std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(n));
    return digits;
}

} // namespace bench
