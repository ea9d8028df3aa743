/// Events as text, with the functions of their stacks: as mallard-profile --events prints them, and as tests write them.
#pragma once

#include "profiler/report/code_names.hpp"
#include "trace/context_tree.hpp"
#include "trace/event.hpp"

#include <istream>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace mallard::test {

/// Names that are listed in a text. A function whose name begins with `lib` is a library's. A short name ends before
/// a parenthesis. The line of a place is its address.
class listed_names final : public advisor::code_names {
public:
    void add(std::uint64_t level, advisor::scope_id function, const std::string& name);

    advisor::scope_id function_at(std::uint64_t level) override;
    advisor::function_info function(advisor::scope_id id) override;
    std::string short_name(advisor::scope_id id) override {
        const std::string& name = names_[id];
        return name.substr(0, name.find('('));
    }
    std::vector<advisor::named_place> places(std::uint64_t level) override;
    std::optional<advisor::place_in_file> in_file(std::uint64_t level) override {
        return advisor::place_in_file{"program", level};
    }
    bool is_library(advisor::scope_id id) override { return is_library_name(names_[id]); }
    bool is_library_name(std::string_view name) override { return name.starts_with("lib"); }

private:
    std::unordered_map<std::uint64_t, advisor::scope_id> by_level_;
    std::map<advisor::scope_id, std::string> names_;
};

struct event_list {
    trace::process process;
    trace::context_tree contexts;
    listed_names names;
    std::vector<std::string> marked_names;
    std::vector<trace::event> events;
};

/// Throws: std::runtime_error if a line cannot be parsed.
std::unique_ptr<event_list> read_events(std::istream& input);

} // namespace mallard::test
