/// Prints the profile of the events on the standard input, so that a model can check it.
#include "profiler/model/event_list.hpp"
#include "profiler/report/profile_report.hpp"

#include <cstdio>
#include <iostream>

int main(int count, char** words) {
    using namespace mallard;
    const std::unique_ptr<test::event_list> events = test::read_events(std::cin);
    test::event_list& list = *events;
    const advisor::function_lookup find_function = [&](std::uint64_t level) {
        return list.names.function_at(level);
    };
    const advisor::scope_tree stacks(list.contexts, find_function);
    advisor::analysis::time_range time{list.process.first_ticks, list.process.last_ticks,
                                       list.process.ticks_per_second};
    time.stamp_ticks = list.process.stamp_ticks;
    advisor::analysis analysis(stacks, find_function, time);
    analysis.add(list.events);
    analysis.finish();
    advisor::report_request request;
    request.file = "standard input";
    request.processes = {list.process};
    request.marked_names = list.marked_names;
    if (count > 1) {
        request.scope = words[1];
    }
    std::cout << advisor::profile_report(analysis, list.names, request);
}
