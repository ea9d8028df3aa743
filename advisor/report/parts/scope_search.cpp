#include "advisor/report/parts/scope_search.hpp"

#include "advisor/report/profile_report.hpp"
#include "advisor/scopes/size_class.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <numeric>
#include <set>

namespace mallard::advisor {

namespace {

struct named_scope {
    found_scope scope;
    std::string name, short_name;
    std::uint64_t allocations = 0;
};

std::string lower(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
    return text;
}

/// Returns: the number of letters to insert, erase or replace.
/// Complexity: O(product of the lengths); the texts are cut after 80 letters.
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

std::vector<named_scope> all_scopes(const report_source& from) {
    std::vector<named_scope> found;
    const marked_stacks& marked = from.of.marked();
    for (std::size_t scope = 0; scope < marked.known().size(); ++scope) {
        const std::string name = marked_name(from, static_cast<scope_id>(scope));
        found.push_back(
            {{true, static_cast<scope_id>(scope)}, name, name, marked.scopes()[scope].allocations});
    }
    const std::vector<scope_totals>& scopes = from.of.scopes();
    for (std::size_t function = 0; from.shows_scopes && function < scopes.size(); ++function) {
        if (scopes[function].allocating != 0) {
            found.push_back({{false, static_cast<scope_id>(function)},
                             from.names.function(static_cast<scope_id>(function)).name,
                             from.names.short_name(static_cast<scope_id>(function)),
                             scopes[function].allocations});
        }
    }
    return found;
}

/// Returns: a name that finds this scope alone, the shortest there is.
std::string telling_name(const std::vector<named_scope>& all, const named_scope& scope) {
    const auto has_it = [&](const named_scope& each) {
        return each.name == scope.short_name || each.short_name == scope.short_name;
    };
    return std::count_if(all.begin(), all.end(), has_it) == 1 ? scope.short_name
                                                              : name_tables::shortened(scope.name);
}

std::string listed(const std::vector<named_scope>& all, const std::vector<const named_scope*>& scopes) {
    constexpr std::size_t most = 5;
    std::string text;
    for (std::size_t at = 0; at < std::min(most, scopes.size()); ++at) {
        text += (at == 0 ? "" : ", ") + telling_name(all, *scopes[at]);
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
    for (const named_scope& each : all) {
        // The last parts of a name are what is usually typed.
        const std::size_t part = each.short_name.rfind("::");
        const std::string last =
            part == std::string::npos ? each.short_name : each.short_name.substr(part + 2);
        near.emplace_back(
            std::min(distance(lower(name), lower(each.short_name)), distance(lower(name), lower(last))),
            &each);
    }
    std::stable_sort(near.begin(), near.end(), [](const auto& left, const auto& right) {
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

void write_callers(json_writer& to, const report_source& from, scope_id scope) {
    const scope_tree& stacks = from.of.stacks();
    std::unordered_map<scope_id, block_count> callers;
    for (const call_totals& call : from.of.calls().all()) {
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
        const trace::context_id caller = stacks.contexts()[node].parent;
        callers[caller < trace::stack_ends ? no_scope : stacks.function(caller)].add(call.allocations,
                                                                                     call.bytes);
    }
    std::vector<std::pair<scope_id, block_count>> rows(callers.begin(), callers.end());
    std::sort(rows.begin(), rows.end(), [](const auto& left, const auto& right) {
        return left.second.allocations != right.second.allocations
                   ? left.second.allocations > right.second.allocations
                   : left.first < right.first;
    });
    rows.resize(std::min<std::size_t>(rows.size(), 100));
    to.key("callers").begin_list();
    for (const auto& [function, blocks] : rows) {
        to.begin_object().key("function");
        if (function == no_scope) {
            to.value(json_writer::nothing{});
        } else {
            to.value(from.tables.function(function));
        }
        to.field("allocations", blocks.allocations).field("bytes", blocks.bytes).end_object();
    }
    to.end_list();
}

/// The instructions of the function that were on stacks: a trial serves the whole functions around them.
void write_code(json_writer& to, const report_source& from, scope_id scope) {
    const scope_tree& stacks = from.of.stacks();
    std::map<std::string, std::set<std::uint64_t>> offsets;
    for (std::size_t node = trace::stack_ends; node < stacks.size(); ++node) {
        if (stacks.function(static_cast<trace::context_id>(node)) == scope) {
            if (const auto place =
                    from.names.in_file(stacks.contexts()[static_cast<trace::context_id>(node)].address)) {
                offsets[place->path].insert(place->offset);
            }
        }
    }
    to.key("code").begin_list();
    for (const auto& [path, in_file] : offsets) {
        to.begin_object().field("file", path).key("instructions").begin_list();
        for (const std::uint64_t offset : in_file) {
            to.value(offset);
        }
        to.end_list().end_object();
    }
    to.end_list();
}

void write_classes(json_writer& to, std::string_view key, const scope_totals& scope, std::size_t column) {
    to.key(key).begin_list();
    for (std::size_t which = 0; which < scope.classes.size(); ++which) {
        if (scope.classes[which][column] != 0) {
            to.begin_list()
                .value(most_bytes_of(static_cast<unsigned>(which)))
                .value(scope.classes[which][column])
                .end_list();
        }
    }
    to.end_list();
}

} // namespace

found_scope find_scope(const report_source& from, const std::string& name, const std::string& withheld) {
    const std::vector<named_scope> all = all_scopes(from);
    for (const named_scope& each : all) {
        if (each.name == name) {
            return each.scope;
        }
    }
    std::vector<const named_scope*> found;
    for (const named_scope& each : all) {
        if (each.short_name == name) {
            found.push_back(&each);
        }
    }
    if (found.empty()) {
        for (const named_scope& each : all) {
            if (!name.empty() && each.name.find(name) != std::string::npos) {
                found.push_back(&each);
            }
        }
    }
    if (found.empty()) {
        fail_unknown(all, name, withheld);
    }
    if (found.size() == 1) {
        return found.front()->scope;
    }
    std::stable_sort(found.begin(), found.end(), [](const named_scope* left, const named_scope* right) {
        return left->allocations > right->allocations;
    });
    throw unknown_scope("Several scopes have '" + name + "' in their names: " + listed(all, found) +
                        ". Give one of them.");
}

void write_scope_in_depth(json_writer& to, const report_source& from, const found_scope& scope) {
    constexpr std::size_t most_rows = 100;
    to.key("scope").begin_object().field("kind", scope.is_marked ? "marker" : "function").key("row");
    const scope_totals& totals =
        scope.is_marked ? from.of.marked().scopes()[scope.scope] : from.of.scopes()[scope.scope];
    if (scope.is_marked) {
        write_marked_scope(to, from, scope.scope);
        const marked_stacks::marked_scope& known = from.of.marked().known()[scope.scope];
        if (known.is_function) {
            write_code(to, from, static_cast<scope_id>(known.number));
        }
    } else {
        const auto at = std::find(from.listed.begin(), from.listed.end(), scope.scope);
        write_scope(to, from, static_cast<std::size_t>(at - from.listed.begin()), most_rows);
        write_sites_of(to, from, scope.scope);
        write_pairs_of(to, from, scope.scope);
        write_callers(to, from, scope.scope);
        write_code(to, from, scope.scope);
    }
    write_classes(to, "activation_bytes_classes", totals, 0);
    write_classes(to, "activation_peak_classes", totals, 1);
    to.end_object();
}

} // namespace mallard::advisor
