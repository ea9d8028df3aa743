// Analyses a trace repeatedly, as if the program repeated its run, and prints the time for an event.
//
//     measure_analysis TRACE [REPEAT]
#include "profiler/analysis/analysis.hpp"
#include "trace/reader.hpp"

#include <sys/resource.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <unordered_map>

namespace {

double seconds() {
    timespec time{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

} // namespace

int main(int count, char** words) {
    using namespace mallard;
    if (count < 2) {
        std::fputs("usage: measure_analysis TRACE [REPEAT]\n", stderr);
        return 2;
    }
    const auto repeat = static_cast<std::uint64_t>(count > 2 ? std::atoi(words[2]) : 1);
    trace::reader reader(words[1]);
    // A function for each 256 bytes of code.
    std::unordered_map<std::uint64_t, advisor::scope_id> functions;
    const advisor::function_lookup find_function = [&](std::uint64_t level) {
        return functions.try_emplace(level >> 8, static_cast<advisor::scope_id>(functions.size()))
            .first->second;
    };
    std::vector<trace::event> events;
    reader.begin(0);
    for (auto batch = reader.next(); !batch.empty(); batch = reader.next()) {
        events.insert(events.end(), batch.begin(), batch.end());
    }
    const trace::process& process = reader.processes()[0];
    const std::uint64_t ticks = process.last_ticks - process.first_ticks;

    double begin = seconds();
    const advisor::scope_tree stacks(reader.contexts(0), find_function);
    std::printf("%zu events, %zu contexts, %zu functions, prepared in %.3f s\n", events.size(), stacks.size(),
                stacks.functions(), seconds() - begin);
    begin = seconds();
    advisor::analysis analysis(
        stacks, find_function,
        {process.first_ticks, process.first_ticks + ticks * repeat, process.ticks_per_second});
    for (std::uint64_t time = 0; time < repeat; ++time) {
        analysis.add(events);
        for (trace::event& event : events) {
            event.ticks += ticks;
            event.address += std::uint64_t{1} << 36;
        }
    }
    analysis.finish();
    const double elapsed = seconds() - begin;
    rusage used{};
    ::getrusage(RUSAGE_SELF, &used);
    const auto all = static_cast<double>(events.size() * repeat);
    std::printf("%.0f events: %.3f s, %.1f ns an event, %ld MiB, %zu calls, %zu pairs\n", all, elapsed,
                elapsed / all * 1e9, used.ru_maxrss / 1024, analysis.calls().all().size(),
                analysis.pairs().all().size());
}
