#include "profiler/report/parts/report_parts.hpp"

#include <algorithm>

namespace mallard::advisor {

namespace {

struct flame_node {
    std::uint64_t allocations = 0;
    std::uint64_t bytes = 0;
    std::uint64_t contained = 0;
    std::uint64_t contained_bytes = 0;
    std::uint64_t operations = 0;
    std::uint64_t peak_bytes = 0;
    std::uint64_t alive_bytes = 0;

    void add(const flame_node& inner) noexcept {
        allocations += inner.allocations;
        bytes += inner.bytes;
        contained += inner.contained;
        contained_bytes += inner.contained_bytes;
        operations += inner.operations;
        peak_bytes += inner.peak_bytes;
        alive_bytes += inner.alive_bytes;
    }
};

/// The tree of contexts in which calls from several lines of a function are one node. The addresses of its nodes are
/// functions.
class flame_tree {
public:
    explicit flame_tree(const report_source& source)
        : source_(&source), results_(&source.results), stacks_(&results_->stacks()),
          call_nodes_(&source.sites.nodes()), by_call_node_(call_nodes_->size()) {
        call_nodes_->for_each([this](trace::context_id node) {
            const trace::context_id parent = find(stacks_->contexts().parent(node));
            by_call_node_[call_nodes_->index(node)] = tree_.child(parent, stacks_->function(node));
        });
        nodes_.resize(tree_.size());
        add_calls();
        add_contained();
        // Parents come before their children.
        for (std::size_t node = nodes_.size(); node-- > trace::stack_ends;) {
            nodes_[tree_[static_cast<trace::context_id>(node)].parent].add(nodes_[node]);
        }
    }

    [[nodiscard]] const std::vector<flame_node>& nodes() const noexcept { return nodes_; }
    [[nodiscard]] const trace::context_tree& tree() const noexcept { return tree_; }

private:
    /// Returns: the node of the flame tree.
    [[nodiscard]] trace::context_id find(trace::context_id node) const {
        return by_call_node_[call_nodes_->index(node)];
    }

    void add_calls() {
        const std::span<const call_totals> calls = results_->calls().all();
        for (std::size_t at = 0; at < calls.size(); ++at) {
            const call_totals& call = calls[at];
            flame_node& node = nodes_[find(call.context)];
            node.allocations += call.allocations;
            node.bytes += call.bytes;
            node.operations += call.allocations + call.frees;
            node.peak_bytes += call.live_bytes_at_peak;
            if (!source_->is_suppressed(static_cast<call_id>(at))) {
                node.alive_bytes += call.live_bytes();
            }
        }
    }

    /// Blocks count as contained at the innermost scope that contains them, and thereby at all outer ones.
    void add_contained() {
        const std::span<const call_totals> calls = results_->calls().all();
        for (const pair_totals& pair : results_->pairs().all()) {
            if (pair.container == no_scope) {
                continue;
            }
            trace::context_id node = stacks_->counting(calls[pair.allocated].context);
            while (node >= trace::stack_ends && stacks_->function(node) != pair.container) {
                node = stacks_->counting_outside(node);
            }
            nodes_[find(node)].contained += pair.blocks;
            nodes_[find(node)].contained_bytes += pair.bytes;
        }
    }

    const report_source* source_;
    const analysis* results_;
    const scope_tree* stacks_;
    const call_nodes* call_nodes_;
    trace::context_tree tree_;
    std::vector<trace::context_id> by_call_node_; ///< by index of a node of the calls
    std::vector<flame_node> nodes_;
};

bool is_heavy(const flame_node& node, const flame_node& root, std::uint64_t one_in) noexcept {
    const auto reaches = [&](std::uint64_t count, std::uint64_t total) {
        return count != 0 &&
               static_cast<double>(count) * static_cast<double>(one_in) >= static_cast<double>(total);
    };
    return reaches(node.allocations, root.allocations) || reaches(node.bytes, root.bytes) ||
           reaches(node.operations, root.operations) || reaches(node.peak_bytes, root.peak_bytes) ||
           reaches(node.alive_bytes, root.alive_bytes);
}

} // namespace

void write_flame(json_writer& json, const report_source& source) {
    constexpr std::size_t most_nodes = 3000;
    const flame_tree flame(source);
    const std::vector<flame_node>& nodes = flame.nodes();
    flame_node root;
    for (std::size_t end = 0; end < trace::stack_ends; ++end) {
        root.add(nodes[end]);
    }
    // The lighter children of a node are lighter than the node, so that the kept nodes are a tree.
    std::size_t kept = most_nodes + 1;
    std::uint64_t one_in = 4000;
    while (kept > most_nodes && one_in > 1) {
        one_in /= 2;
        kept = 1;
        for (std::size_t node = trace::stack_ends; node < nodes.size(); ++node) {
            kept += is_heavy(nodes[node], root, one_in);
        }
    }

    json.key("flame").begin_object().key("nodes").begin_list();
    std::vector<std::uint32_t> row_by_node(nodes.size());
    std::uint32_t rows = 0;
    const auto write_node = [&](const flame_node& node) {
        json.field("allocations", node.allocations).field("bytes", node.bytes);
        json.field("contained_allocations", node.contained).field("contained_bytes", node.contained_bytes);
        json.field("operations", node.operations).field("peak_bytes", node.peak_bytes);
        json.field("alive_bytes", node.alive_bytes).end_object();
        ++rows;
    };
    json.begin_object().field("parent", json_writer::null{}).field("function", json_writer::null{});
    write_node(root);
    for (std::size_t node = trace::stack_ends; node < nodes.size(); ++node) {
        if (!is_heavy(nodes[node], root, one_in)) {
            continue;
        }
        const trace::context_tree::node in_tree = flame.tree()[static_cast<trace::context_id>(node)];
        row_by_node[node] = rows;
        json.begin_object().field("parent", row_by_node[in_tree.parent]);
        json.field("function", source.tables.function(static_cast<scope_id>(in_tree.address)));
        write_node(nodes[node]);
    }
    json.end_list().field("pruned", nodes.size() - trace::stack_ends + 1 - rows).end_object();
}

} // namespace mallard::advisor
