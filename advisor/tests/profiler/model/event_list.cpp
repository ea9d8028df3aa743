#include "profiler/model/event_list.hpp"

#include <algorithm>
#include <sstream>
#include <stdexcept>

namespace mallard::test {

void listed_names::add(std::uint64_t level, advisor::scope_id function, const std::string& name) {
    by_level_[level] = function;
    names_[function] = name;
}

advisor::scope_id listed_names::function_at(std::uint64_t level) {
    const auto entry = by_level_.find(level);
    if (entry == by_level_.end()) {
        throw std::runtime_error("no function has the address " + std::to_string(level));
    }
    return entry->second;
}

advisor::function_info listed_names::function(advisor::scope_id id) {
    return {names_.at(id), names_.at(id), "program", {}, 0};
}

std::vector<advisor::named_place> listed_names::places(std::uint64_t level) {
    const std::string& name = names_.at(function_at(level));
    return {{name, name, "file.cpp", static_cast<unsigned>(level), false}};
}

namespace {

void read_process(std::istringstream& words, trace::process& to) {
    unsigned stacks = 0;
    words >> to.number >> to.first_ticks >> to.last_ticks >> to.ticks_per_second >> to.threads >>
        to.timed_one_in >> stacks >> to.cpu_nanoseconds >> to.stamp_ticks;
    to.stacks = static_cast<trace::stack_source>(stacks);
}

} // namespace

std::unique_ptr<event_list> read_events(std::istream& input) {
    auto result = std::make_unique<event_list>();
    event_list& list = *result;
    std::unordered_map<std::uint64_t, trace::context_id> contexts;
    for (trace::context_id root = 0; root < trace::stack_ends; ++root) {
        contexts[root] = root;
    }
    std::string line;
    while (std::getline(input, line)) {
        std::istringstream words(line);
        std::string first;
        words >> first;
        if (first == "process") {
            read_process(words, list.process);
        } else if (first == "name") {
            std::size_t number = 0;
            words >> number >> std::ws;
            list.marked_names.resize(std::max(list.marked_names.size(), number + 1));
            std::getline(words, list.marked_names[number]);
        } else if (first == "context") {
            std::uint64_t number = 0, parent = 0, address = 0;
            advisor::scope_id function = 0;
            std::string name;
            words >> number >> parent >> std::hex >> address >> std::dec >> function >> std::ws;
            std::getline(words, name);
            list.names.add(address, function, name);
            contexts[number] =
                list.contexts.child(contexts.at(static_cast<trace::context_id>(parent)), address);
        } else {
            trace::event event;
            unsigned kind = 0;
            std::uint64_t context = 0;
            event.ticks = std::stoull(first);
            words >> event.thread >> kind >> std::hex >> event.address >> std::dec >> event.bytes >>
                event.ticks_inside >> event.kept >> context >> event.pool;
            event.kind = static_cast<trace::record_kind>(kind);
            event.context = contexts.at(context);
            list.events.push_back(event);
        }
        if (words.fail()) {
            throw std::runtime_error("cannot parse the line " + line);
        }
    }
    list.process.events = list.events.size();
    return result;
}

} // namespace mallard::test
