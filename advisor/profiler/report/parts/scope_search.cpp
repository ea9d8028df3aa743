#include "profiler/report/parts/report_parts.hpp"
#include "profiler/report/profile_report.hpp"
#include "profiler/scopes/size_class.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <numeric>
#include <set>

namespace mallard::advisor {

namespace {

struct named_scope {
    scope_match scope;
    std::string name, short_name;
    std::uint64_t allocations = 0;
};

std::string lower(std::string text) {
    std::ranges::transform(text, text.begin(),
                           [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
    return text;
}

/// Returns: the edit distance of the texts: the letters to insert, erase or replace.
/// Complexity: O(product of the lengths); the texts are cut to 80 letters.
std::size_t distance(std::string left, std::string right) {
    constexpr std::size_t most = 80;
    left.resize(std::min(left.size(), most));
    right.resize(std::min(right.size(), most));
    std::vector<std::size_t> row(right.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t at = 1; at <= left.size(); ++at) {
        std::size_t diagonal = row[0];
        row[0] = at;
        for (std::size_t to = 1; to <= right.size(); ++to) {
            const std::size_t replaced = diagonal + (left[at - 1] != right[to - 1]);
            diagonal = row[to];
            row[to] = std::min({row[to] + 1, row[to - 1] + 1, replaced});
        }
    }
    return row.back();
}

std::vector<named_scope> all_scopes(const report_source& source) {
    std::vector<named_scope> scopes;
    const marked_stacks& marked = source.results.marked();
    for (std::size_t scope = 0; scope < marked.known().size(); ++scope) {
        const std::string name = marked_name(source, static_cast<scope_id>(scope));
        scopes.push_back(
            {{true, static_cast<scope_id>(scope)}, name, name, marked.scopes()[scope].allocations});
    }
    const std::vector<scope_totals>& totals = source.results.scopes();
    for (std::size_t function = 0; source.shows_scopes && function < totals.size(); ++function) {
        if (totals[function].allocating != 0) {
            scopes.push_back({{false, static_cast<scope_id>(function)},
                              source.names.function(static_cast<scope_id>(function)).name,
                              source.names.short_name(static_cast<scope_id>(function)),
                              totals[function].allocations});
        }
    }
    return scopes;
}

/// Returns: the shortest name that identifies the scope.
std::string unique_name(const std::vector<named_scope>& all, const named_scope& scope) {
    const auto matches = [&](const named_scope& candidate) {
        return candidate.name == scope.short_name || candidate.short_name == scope.short_name;
    };
    return std::ranges::count_if(all, matches) == 1 ? scope.short_name : name_tables::shortened(scope.name);
}

std::string listed(const std::vector<named_scope>& all, const std::vector<const named_scope*>& scopes) {
    constexpr std::size_t most = 5;
    std::string text;
    for (std::size_t at = 0; at < std::min(most, scopes.size()); ++at) {
        text += (at == 0 ? "" : ", ") + unique_name(all, *scopes[at]);
    }
    if (scopes.size() > most) {
        text += ", and " + std::to_string(scopes.size() - most) + " more";
    }
    return text;
}

[[noreturn]] void fail_unknown(const std::vector<named_scope>& all, const std::string& name,
                               const std::string& withheld) {
    std::string text = "There is no scope '" + name + "' that allocates.";
    std::vector<std::pair<std::size_t, const named_scope*>> near;
    for (const named_scope& candidate : all) {
        // Callers usually type the last parts of a name.
        const std::size_t part = candidate.short_name.rfind("::");
        const std::string last =
            part == std::string::npos ? candidate.short_name : candidate.short_name.substr(part + 2);
        near.emplace_back(
            std::min(distance(lower(name), lower(candidate.short_name)), distance(lower(name), lower(last))),
            &candidate);
    }
    std::ranges::stable_sort(near, [](const auto& left, const auto& right) {
        return left.first != right.first ? left.first < right.first
                                         : left.second->allocations > right.second->allocations;
    });
    std::vector<const named_scope*> nearest;
    for (std::size_t at = 0; at < std::min<std::size_t>(near.size(), 5); ++at) {
        nearest.push_back(near[at].second);
    }
    if (!withheld.empty()) {
        text += " " + withheld;
    }
    if (nearest.empty()) {
        text += " The trace has no scopes.";
    } else {
        text += " The nearest names are: " + listed(all, nearest) + ".";
    }
    throw unknown_scope(text);
}

void write_callers(json_writer& json, const report_source& source, scope_id scope) {
    const scope_tree& stacks = source.results.stacks();
    std::unordered_map<scope_id, block_count> callers;
    for (const call_totals& call : source.results.calls().all()) {
        trace::context_id node = call.context;
        if (call.allocations == 0 || !trace::is_complete(stacks.end(node))) {
            continue;
        }
        node = stacks.counting(node);
        while (node >= trace::stack_ends && stacks.function(node) != scope) {
            node = stacks.counting_outside(node);
        }
        if (node < trace::stack_ends) {
            continue;
        }
        const trace::context_id caller = stacks.contexts().parent(node);
        callers[caller < trace::stack_ends ? no_scope : stacks.function(caller)].add(call.allocations,
                                                                                     call.bytes);
    }
    json.key("callers").begin_list();
    for (const auto& [function, blocks] : heaviest(callers, 100)) {
        json.begin_object();
        json.optional_field("function", function != no_scope,
                            [&] { return source.tables.function(function); });
        json.field("allocations", blocks.allocations).field("bytes", blocks.bytes).end_object();
    }
    json.end_list();
}

struct scope_code {
    std::set<std::uint64_t> instructions;
    std::set<code_in_file> ranges;
};

/// The instructions of the function that were on stacks: a trial serves the functions around them. Where the function is
/// inlined into others, a trial serves the ranges of its code.
void write_code(json_writer& json, const report_source& source, scope_id scope) {
    const trace::context_tree& contexts = source.results.stacks().contexts();
    std::map<std::string, scope_code> files;
    std::vector<bool> is_known(contexts.addresses());
    const auto add = [&](std::uint64_t instruction, std::uint64_t level) {
        const auto place = source.names.in_file(instruction);
        if (!place) {
            return;
        }
        auto& [instructions, ranges] = files[place->path];
        instructions.insert(place->offset);
        const bool is_in_range = std::ranges::any_of(ranges, [&](const code_in_file& range) {
            return range.begin <= place->offset && place->offset < range.end;
        });
        // Other instructions of the same call of the function, whose ranges are known, or of a recursion that is inlined.
        if (!is_in_range) {
            const std::vector<code_in_file> code = source.names.inlined_code(level);
            ranges.insert(code.begin(), code.end());
        }
    };
    for (std::size_t index = trace::stack_ends; index < contexts.size(); ++index) {
        auto node = static_cast<trace::context_id>(index);
        const std::uint64_t innermost = contexts.address(node);
        if (calls_inlined(innermost) || is_known[contexts.address_number(node)]) {
            continue;
        }
        // The levels of one return address are the same on all stacks.
        is_known[contexts.address_number(node)] = true;
        do {
            if (source.results.stacks().function(node) == scope) {
                add(innermost, contexts.address(node));
            }
            node = contexts.parent(node);
        } while (node >= trace::stack_ends && calls_inlined(contexts.address(node)));
    }
    json.key("code").begin_list();
    for (const auto& [path, code] : files) {
        json.begin_object().field("file", path).key("instructions").begin_list();
        for (const std::uint64_t offset : code.instructions) {
            json.value(offset);
        }
        json.end_list().key("ranges").begin_list();
        for (const auto& [begin, end] : code.ranges) {
            json.begin_list().value(begin).value(end).end_list();
        }
        json.end_list().end_object();
    }
    json.end_list();
}

void write_classes(json_writer& json, std::string_view key, const scope_totals& scope, std::size_t column) {
    json.key(key).begin_list();
    for (std::size_t index = 0; index < scope.classes.size(); ++index) {
        if (scope.classes[index][column] != 0) {
            json.begin_list()
                .value(largest_size(static_cast<unsigned>(index)))
                .value(scope.classes[index][column])
                .end_list();
        }
    }
    json.end_list();
}

} // namespace

scope_match find_scope(const report_source& source, const std::string& name, const std::string& withheld) {
    const std::vector<named_scope> all = all_scopes(source);
    for (const named_scope& candidate : all) {
        if (candidate.name == name) {
            return candidate.scope;
        }
    }
    std::vector<const named_scope*> matches;
    for (const named_scope& candidate : all) {
        if (candidate.short_name == name) {
            matches.push_back(&candidate);
        }
    }
    if (matches.empty()) {
        for (const named_scope& candidate : all) {
            if (!name.empty() && candidate.name.find(name) != std::string::npos) {
                matches.push_back(&candidate);
            }
        }
    }
    if (matches.empty()) {
        fail_unknown(all, name, withheld);
    }
    if (matches.size() == 1) {
        return matches.front()->scope;
    }
    std::ranges::stable_sort(matches, [](const named_scope* left, const named_scope* right) {
        return left->allocations > right->allocations;
    });
    throw unknown_scope("Several scopes have '" + name + "' in their names: " + listed(all, matches) +
                        ". Give one of them.");
}

void write_scope_in_depth(json_writer& json, const report_source& source, const scope_match& scope) {
    constexpr std::size_t most_rows = 100;
    json.key("scope").begin_object().field("kind", scope.is_marked ? "marker" : "function").key("row");
    const scope_totals& totals = scope.is_marked ? source.results.marked().scopes()[scope.scope]
                                                 : source.results.scopes()[scope.scope];
    if (scope.is_marked) {
        write_marked_scope(json, source, scope.scope);
        const marked_stacks::marked_scope& known = source.results.marked().known()[scope.scope];
        if (known.is_function) {
            write_code(json, source, static_cast<scope_id>(known.number));
        }
    } else {
        const auto at = std::ranges::find(source.listed, scope.scope);
        write_scope(json, source, static_cast<std::size_t>(at - source.listed.begin()), most_rows);
        write_scope_sites(json, source, scope.scope);
        write_scope_pairs(json, source, scope.scope);
        write_callers(json, source, scope.scope);
        write_code(json, source, scope.scope);
    }
    write_classes(json, "activation_bytes_classes", totals, 0);
    write_classes(json, "activation_peak_classes", totals, 1);
    json.end_object();
}

} // namespace mallard::advisor
