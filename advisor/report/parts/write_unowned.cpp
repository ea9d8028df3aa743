/// Memory that no function owns: iterations of loops, and objects that free many blocks.
#include "advisor/report/parts/report_parts.hpp"

#include <algorithm>
#include <unordered_set>

namespace mallard::advisor {

namespace {

/// A call nearly all of whose blocks one function contains.
struct candidate {
    call_id call = 0;
    std::uint64_t returns = 0;
};

constexpr std::uint64_t least_returns = 4;

/// Returns: for each call the function that contains nine tenths of its freed blocks, or no_scope.
std::vector<scope_id> main_containers(const analysis& of) {
    const std::span<const call_totals> calls = of.calls().all();
    std::vector<std::unordered_map<scope_id, std::uint64_t>> blocks(calls.size());
    for (const pair_totals& pair : of.pairs().all()) {
        if (pair.container != no_scope && calls[pair.allocated].returns >= least_returns) {
            blocks[pair.allocated][pair.container] += pair.blocks;
        }
    }
    std::vector<scope_id> found(calls.size(), no_scope);
    for (std::size_t call = 0; call < calls.size(); ++call) {
        for (const auto& [function, count] : blocks[call]) {
            if (count * 10 >= calls[call].freed * 9) {
                found[call] = function;
            }
        }
    }
    return found;
}

/// Returns: the number of returns below and above which half of the allocations lie.
std::uint64_t middle_returns(std::vector<candidate>& of, std::span<const call_totals> calls) {
    std::sort(of.begin(), of.end(), [](const candidate& left, const candidate& right) {
        return left.returns != right.returns ? left.returns < right.returns : left.call < right.call;
    });
    std::uint64_t all = 0, below = 0;
    for (const candidate& each : of) {
        all += calls[each.call].allocations;
    }
    for (const candidate& each : of) {
        below += calls[each.call].allocations;
        if (below * 2 >= all) {
            return each.returns;
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

std::vector<iteration> all_iterations(const report_source& from) {
    const std::span<const call_totals> calls = from.of.calls().all();
    const std::vector<scope_id> containers = main_containers(from.of);
    std::unordered_map<scope_id, std::vector<candidate>> by_function;
    for (std::size_t call = 0; call < calls.size(); ++call) {
        if (containers[call] != no_scope &&
            calls[call].returns >= 2 * from.of.scopes()[containers[call]].allocating) {
            by_function[containers[call]].push_back({static_cast<call_id>(call), calls[call].returns});
        }
    }
    std::vector<iteration> found;
    for (auto& [function, candidates] : by_function) {
        iteration& made = found.emplace_back();
        made.function = function;
        made.returns = middle_returns(candidates, calls);
        for (const candidate& each : candidates) {
            if (each.returns * 2 < made.returns || each.returns > made.returns * 2) {
                continue;
            }
            const call_totals& call = calls[each.call];
            made.blocks.add(call.allocations, call.bytes);
            made.most_between += std::max(call.most_between_returns, call.since_return);
            auto& [blocks, returns] = made.sites[from.sites.address(each.call)];
            blocks.add(call.allocations, call.bytes);
            returns = std::max(returns, call.returns);
        }
    }
    std::sort(found.begin(), found.end(), [](const iteration& left, const iteration& right) {
        return left.blocks.allocations != right.blocks.allocations
                   ? left.blocks.allocations > right.blocks.allocations
                   : left.function < right.function;
    });
    return found;
}

struct owner {
    scope_id function = 0;
    block_count blocks;
    site_blocks sites;
    std::unordered_set<call_id> allocated_by;
};

class owner_search {
public:
    explicit owner_search(const report_source& from)
        : from_(&from), kinds_(from.of.stacks().functions()), known_(from.of.stacks().size()) {}

    /// Returns: the function that ended the life of the pair's blocks: the outermost destructor of those that were called
    /// after the blocks were made; without one, the outermost function that their container called. no_scope if the
    /// container freed them itself, or is not known.
    scope_id of(const pair_totals& pair) {
        const std::uint32_t container_depth = depth_of_container(pair);
        const called& found = inside_of(container_depth, from_->of.calls().all()[pair.freed].context);
        if (found.destructor != no_scope) {
            return found.destructor;
        }
        if (found.library_destructor != no_scope) {
            return found.library_destructor;
        }
        return container_depth != 0 ? found.outermost : no_scope;
    }

    bool is_destructor(scope_id function) {
        kind& known = kinds_[function];
        if (known == unknown) {
            known = from_->names.short_name(function).find("::~") != std::string::npos ? is_one : is_none;
        }
        return known == is_one;
    }

private:
    /// The outermost functions of a stack that are deeper than a container.
    struct called {
        std::uint32_t container_depth = 0;
        bool is_known = false;
        scope_id outermost = no_scope;
        scope_id destructor = no_scope;
        scope_id library_destructor = no_scope;
    };

    /// Returns: those of `node`. Most blocks of a recursion have one container, so a node keeps what was found last.
    const called& inside_of(std::uint32_t container_depth, trace::context_id node) {
        const trace::context_tree& contexts = from_->of.stacks().contexts();
        path_.clear();
        for (; node >= trace::stack_ends && contexts[node].depth > container_depth;
             node = contexts[node].parent) {
            if (known_[node].is_known && known_[node].container_depth == container_depth) {
                break;
            }
            path_.push_back(node);
        }
        const bool is_deeper = node >= trace::stack_ends && contexts[node].depth > container_depth;
        called found = is_deeper ? known_[node] : called{container_depth, true};
        for (auto each = path_.rbegin(); each != path_.rend(); ++each) {
            node = *each;
            const scope_id function = from_->of.stacks().function(node);
            found.outermost = found.outermost == no_scope ? function : found.outermost;
            scope_id& outermost =
                from_->sites.is_library(function) ? found.library_destructor : found.destructor;
            if (outermost == no_scope && is_destructor(function)) {
                outermost = function;
            }
            known_[node] = found;
        }
        return is_deeper || !path_.empty() ? known_[node] : none_;
    }

    enum kind : std::uint8_t { unknown, is_one, is_none };

    [[nodiscard]] std::uint32_t depth_of_container(const pair_totals& pair) const {
        const scope_tree& stacks = from_->of.stacks();
        if (pair.container == no_scope || pair.elsewhere) {
            return 0;
        }
        trace::context_id node = stacks.counting(from_->of.calls().all()[pair.allocated].context);
        while (node >= trace::stack_ends && stacks.function(node) != pair.container) {
            node = stacks.counting_outside(node);
        }
        return stacks.contexts()[node].depth;
    }

    const report_source* from_;
    std::vector<kind> kinds_;
    std::vector<called> known_; ///< by node
    std::vector<trace::context_id> path_;
    called none_;
};

/// `a::b<c>::~b` belongs to `a::b<c>`.
std::string class_of_destructor(const std::string& name) {
    const std::size_t at = name.rfind("::~");
    return at == std::string::npos ? std::string() : name.substr(0, at);
}

} // namespace

void write_iterations(json_writer& to, const report_source& from) {
    constexpr std::size_t most_rows = 30, most_sites = 12;
    std::vector<iteration> rows;
    if (from.shows_scopes) {
        rows = all_iterations(from);
    }
    rows.resize(std::min(rows.size(), most_rows));
    to.key("iterations").begin_list();
    for (const iteration& row : rows) {
        to.begin_object().field("function", from.tables.function(row.function)).field("returns", row.returns);
        to.field("activations", from.of.scopes()[row.function].allocating);
        to.field("allocations", row.blocks.allocations).field("bytes", row.blocks.bytes);
        to.field("most_bytes_between", row.most_between).key("sites").begin_list();
        std::vector<std::pair<std::uint64_t, std::pair<block_count, std::uint64_t>>> sites(row.sites.begin(),
                                                                                           row.sites.end());
        std::sort(sites.begin(), sites.end(), [](const auto& left, const auto& right) {
            const block_count &of_left = left.second.first, &of_right = right.second.first;
            return of_left.allocations != of_right.allocations ? of_left.allocations > of_right.allocations
                                                               : left.first < right.first;
        });
        sites.resize(std::min(sites.size(), most_sites));
        for (const auto& [address, content] : sites) {
            to.begin_object().field("place", from.tables.place(address));
            to.field("allocations", content.first.allocations).field("bytes", content.first.bytes);
            to.field("returns", content.second).end_object();
        }
        to.end_list().end_object();
    }
    to.end_list();
}

void write_owners(json_writer& to, const report_source& from) {
    constexpr std::size_t most_rows = 40, most_sites = 8;
    constexpr double least_blocks_a_call = 4;
    owner_search search(from);
    std::unordered_map<scope_id, owner> owners;
    if (from.shows_scopes) {
        for (const pair_totals& pair : from.of.pairs().all()) {
            if (pair.freed == no_call) {
                continue;
            }
            const scope_id function = search.of(pair);
            if (function == no_scope) {
                continue;
            }
            owner& to_owner = owners[function];
            to_owner.function = function;
            to_owner.blocks.add(pair.blocks, pair.bytes);
            to_owner.sites.by_address[from.sites.address(pair.allocated)].add(pair.blocks, pair.bytes);
            to_owner.allocated_by.insert(pair.allocated);
        }
    }
    const auto blocks_a_call = [&](const owner& row) {
        const std::uint64_t calls = from.of.scopes()[row.function].freeing;
        return calls == 0 ? 0.0 : static_cast<double>(row.blocks.allocations) / static_cast<double>(calls);
    };
    std::vector<const owner*> rows;
    for (const auto& [function, row] : owners) {
        if (blocks_a_call(row) >= least_blocks_a_call) {
            rows.push_back(&row);
        }
    }
    std::sort(rows.begin(), rows.end(), [](const owner* left, const owner* right) {
        return left->blocks.allocations != right->blocks.allocations
                   ? left->blocks.allocations > right->blocks.allocations
                   : left->function < right->function;
    });
    rows.resize(std::min(rows.size(), most_rows));
    to.key("owners").begin_list();
    for (const owner* row : rows) {
        to.begin_object().field("function", from.tables.function(row->function)).key("class");
        if (search.is_destructor(row->function)) {
            to.value(name_tables::shortened(class_of_destructor(from.names.short_name(row->function))));
        } else {
            to.value(json_writer::nothing{});
        }
        to.field("allocations", row->blocks.allocations).field("bytes", row->blocks.bytes);
        to.field("calls", from.of.scopes()[row->function].freeing)
            .field("blocks_a_call", blocks_a_call(*row));
        to.field("stacks", row->allocated_by.size());
        write_site_blocks(to, "sites", from, row->sites, most_sites);
        to.end_object();
    }
    to.end_list();
}

} // namespace mallard::advisor
