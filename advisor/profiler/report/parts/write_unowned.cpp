/// Memory without an owning function: iterations of loops, and objects that free many blocks.
#include "profiler/report/parts/report_parts.hpp"

#include <algorithm>
#include <ranges>
#include <unordered_set>

namespace mallard::advisor {

namespace {

/// A call with nearly all of its blocks in one function.
struct candidate {
    call_id call = 0;
    std::uint64_t returns = 0;
};

constexpr std::uint64_t least_returns = 4;

/// Returns: for each call the function that contains nine tenths of its freed blocks, or no_scope.
std::vector<scope_id> main_containers(const analysis& results) {
    const std::span<const call_totals> calls = results.calls().all();
    std::vector<std::unordered_map<scope_id, std::uint64_t>> blocks(calls.size());
    for (const pair_totals& pair : results.pairs().all()) {
        if (pair.container != no_scope && calls[pair.allocated].returns >= least_returns) {
            blocks[pair.allocated][pair.container] += pair.blocks;
        }
    }
    std::vector<scope_id> containers(calls.size(), no_scope);
    for (std::size_t call = 0; call < calls.size(); ++call) {
        for (const auto& [function, count] : blocks[call]) {
            if (count * 10 >= calls[call].freed * 9) {
                containers[call] = function;
            }
        }
    }
    return containers;
}

/// Returns: the median of the returns, weighted by allocations.
std::uint64_t middle_returns(std::vector<candidate>& candidates, std::span<const call_totals> calls) {
    std::ranges::sort(candidates, [](const candidate& left, const candidate& right) {
        return left.returns != right.returns ? left.returns < right.returns : left.call < right.call;
    });
    std::uint64_t all = 0, below = 0;
    for (const candidate& candidate : candidates) {
        all += calls[candidate.call].allocations;
    }
    for (const candidate& candidate : candidates) {
        below += calls[candidate.call].allocations;
        if (below * 2 >= all) {
            return candidate.returns;
        }
    }
    return 0;
}

struct iteration {
    scope_id function = 0;
    std::uint64_t returns = 0;
    block_count blocks;
    std::uint64_t most_between = 0;
    std::unordered_map<std::uint64_t, std::pair<block_count, std::uint64_t>> sites; ///< blocks, returns
};

std::vector<iteration> all_iterations(const report_source& source) {
    const std::span<const call_totals> calls = source.results.calls().all();
    const std::vector<scope_id> containers = main_containers(source.results);
    std::unordered_map<scope_id, std::vector<candidate>> by_function;
    for (std::size_t call = 0; call < calls.size(); ++call) {
        if (containers[call] != no_scope &&
            calls[call].returns >= 2 * source.results.scopes()[containers[call]].allocating) {
            by_function[containers[call]].push_back({static_cast<call_id>(call), calls[call].returns});
        }
    }
    std::vector<iteration> iterations;
    for (auto& [function, candidates] : by_function) {
        iteration& row = iterations.emplace_back();
        row.function = function;
        row.returns = middle_returns(candidates, calls);
        for (const candidate& candidate : candidates) {
            if (candidate.returns * 2 < row.returns || candidate.returns > row.returns * 2) {
                continue;
            }
            const call_totals& call = calls[candidate.call];
            row.blocks.add(call.allocations, call.bytes);
            row.most_between += std::max(call.most_between_returns, call.since_return);
            auto& [blocks, returns] = row.sites[source.sites.address(candidate.call)];
            blocks.add(call.allocations, call.bytes);
            returns = std::max(returns, call.returns);
        }
    }
    std::ranges::sort(iterations, [](const iteration& left, const iteration& right) {
        return left.blocks.allocations != right.blocks.allocations
                   ? left.blocks.allocations > right.blocks.allocations
                   : left.function < right.function;
    });
    return iterations;
}

struct owner {
    scope_id function = 0;
    block_count blocks;
    site_blocks sites;
    std::unordered_set<call_id> allocated_by;
};

class owner_search {
public:
    explicit owner_search(const report_source& source)
        : source_(&source), kinds_(source.results.stacks().functions()), cache_(source.sites.nodes().size()) {
    }

    /// Returns: the function that ended the life of the pair's blocks: the outermost destructor among the functions
    /// called after the allocation; without a destructor, the outermost function that the container called. no_scope
    /// if the container freed the blocks itself, or is unknown.
    scope_id find_owner(const pair_totals& pair) {
        const std::uint32_t container_depth = depth_of_container(pair);
        const callee_set& callees =
            find_callees(container_depth, source_->results.calls().all()[pair.freed].context);
        if (callees.destructor != no_scope) {
            return callees.destructor;
        }
        if (callees.library_destructor != no_scope) {
            return callees.library_destructor;
        }
        return container_depth != 0 ? callees.outermost : no_scope;
    }

    bool is_destructor(scope_id function) {
        kind& state = kinds_[function];
        if (state == unknown) {
            state = source_->names.short_name(function).find("::~") != std::string::npos ? yes : no;
        }
        return state == yes;
    }

private:
    /// The outermost functions of a stack below a container.
    struct callee_set {
        std::uint32_t container_depth = 0;
        bool is_known = false;
        scope_id outermost = no_scope;
        scope_id destructor = no_scope;
        scope_id library_destructor = no_scope;
    };

    /// Returns: the callees of `node`. Most blocks of a recursion have one container, so a node caches the last
    /// result.
    const callee_set& find_callees(std::uint32_t container_depth, trace::context_id node) {
        const trace::context_tree& contexts = source_->results.stacks().contexts();
        path_.clear();
        for (; node >= trace::stack_ends && contexts.depth(node) > container_depth;
             node = contexts.parent(node)) {
            if (const callee_set& known = cached(node);
                known.is_known && known.container_depth == container_depth) {
                break;
            }
            path_.push_back(node);
        }
        const bool is_deeper = node >= trace::stack_ends && contexts.depth(node) > container_depth;
        callee_set entry = is_deeper ? cached(node) : callee_set{container_depth, true};
        for (const trace::context_id step : path_ | std::views::reverse) {
            node = step;
            const scope_id function = source_->results.stacks().function(node);
            entry.outermost = entry.outermost == no_scope ? function : entry.outermost;
            scope_id& outermost =
                source_->sites.is_library(function) ? entry.library_destructor : entry.destructor;
            if (outermost == no_scope && is_destructor(function)) {
                outermost = function;
            }
            cached(node) = entry;
        }
        return is_deeper || !path_.empty() ? cached(node) : no_callees_;
    }

    callee_set& cached(trace::context_id node) { return cache_[source_->sites.nodes().index(node)]; }

    enum kind : std::uint8_t { unknown, yes, no };

    [[nodiscard]] std::uint32_t depth_of_container(const pair_totals& pair) const {
        const scope_tree& stacks = source_->results.stacks();
        if (pair.container == no_scope || pair.elsewhere) {
            return 0;
        }
        trace::context_id node = stacks.counting(source_->results.calls().all()[pair.allocated].context);
        while (node >= trace::stack_ends && stacks.function(node) != pair.container) {
            node = stacks.counting_outside(node);
        }
        return stacks.contexts().depth(node);
    }

    const report_source* source_;
    std::vector<kind> kinds_;
    std::vector<callee_set> cache_; ///< by index of a node
    std::vector<trace::context_id> path_;
    callee_set no_callees_;
};

/// `a::b<c>::~b` belongs to `a::b<c>`.
std::string destroyed_class(const std::string& name) {
    const std::size_t at = name.rfind("::~");
    return at == std::string::npos ? std::string() : name.substr(0, at);
}

} // namespace

void write_iterations(json_writer& json, const report_source& source) {
    constexpr std::size_t most_rows = 30, most_sites = 12;
    std::vector<iteration> rows;
    if (source.shows_scopes) {
        rows = all_iterations(source);
    }
    rows.resize(std::min(rows.size(), most_rows));
    json.key("iterations").begin_list();
    for (const iteration& row : rows) {
        json.begin_object()
            .field("function", source.tables.function(row.function))
            .field("returns", row.returns);
        json.field("activations", source.results.scopes()[row.function].allocating);
        json.field("allocations", row.blocks.allocations).field("bytes", row.blocks.bytes);
        json.field("most_bytes_between", row.most_between).key("sites").begin_list();
        std::vector<std::pair<std::uint64_t, std::pair<block_count, std::uint64_t>>> sites(row.sites.begin(),
                                                                                           row.sites.end());
        std::ranges::sort(sites, [](const auto& left, const auto& right) {
            const block_count &left_blocks = left.second.first, &right_blocks = right.second.first;
            return left_blocks.allocations != right_blocks.allocations
                       ? left_blocks.allocations > right_blocks.allocations
                       : left.first < right.first;
        });
        sites.resize(std::min(sites.size(), most_sites));
        for (const auto& [address, content] : sites) {
            json.begin_object().field("place", source.tables.place(address));
            json.field("allocations", content.first.allocations).field("bytes", content.first.bytes);
            json.field("returns", content.second).end_object();
        }
        json.end_list().end_object();
    }
    json.end_list();
}

void write_owners(json_writer& json, const report_source& source) {
    constexpr std::size_t most_rows = 40, most_sites = 8;
    constexpr double least_blocks_a_call = 4;
    owner_search search(source);
    std::unordered_map<scope_id, owner> owners;
    if (source.shows_scopes) {
        for (const pair_totals& pair : source.results.pairs().all()) {
            if (pair.freed == no_call) {
                continue;
            }
            const scope_id function = search.find_owner(pair);
            if (function == no_scope) {
                continue;
            }
            owner& to_owner = owners[function];
            to_owner.function = function;
            to_owner.blocks.add(pair.blocks, pair.bytes);
            to_owner.sites[source.sites.address(pair.allocated)].add(pair.blocks, pair.bytes);
            to_owner.allocated_by.insert(pair.allocated);
        }
    }
    const auto blocks_a_call = [&](const owner& row) {
        const std::uint64_t calls = source.results.scopes()[row.function].freeing;
        return calls == 0 ? 0.0 : static_cast<double>(row.blocks.allocations) / static_cast<double>(calls);
    };
    std::vector<const owner*> rows;
    for (const auto& [function, row] : owners) {
        if (blocks_a_call(row) >= least_blocks_a_call) {
            rows.push_back(&row);
        }
    }
    std::ranges::sort(rows, [](const owner* left, const owner* right) {
        return left->blocks.allocations != right->blocks.allocations
                   ? left->blocks.allocations > right->blocks.allocations
                   : left->function < right->function;
    });
    rows.resize(std::min(rows.size(), most_rows));
    json.key("owners").begin_list();
    for (const owner* row : rows) {
        json.begin_object().field("function", source.tables.function(row->function));
        json.optional_field("class", search.is_destructor(row->function), [&] {
            return name_tables::shortened(destroyed_class(source.names.short_name(row->function)));
        });
        json.field("allocations", row->blocks.allocations).field("bytes", row->blocks.bytes);
        json.field("calls", source.results.scopes()[row->function].freeing)
            .field("blocks_a_call", blocks_a_call(*row));
        json.field("stacks", row->allocated_by.size());
        write_site_blocks(json, "sites", source, row->sites, most_sites);
        json.end_object();
    }
    json.end_list();
}

} // namespace mallard::advisor
