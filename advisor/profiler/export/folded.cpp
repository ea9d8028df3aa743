#include "profiler/export/block_counts.hpp"
#include "profiler/export/exports.hpp"
#include "profiler/export/frame_table.hpp"
#include "profiler/export/output_file.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <ranges>
#include <string>

namespace mallard::advisor {

namespace {

/// Stacks by the names of their functions: stacks that differ only in lines are merged.
///
/// Data model: nodes, parents before children; a node is a name and its parent. Node 0 is the root.
class named_tree {
public:
    struct node {
        std::uint32_t parent = 0;
        std::uint32_t name = 0;
        std::uint64_t value = 0;
    };

    std::uint32_t child(std::uint32_t parent, const std::string& name) {
        const auto number = static_cast<std::uint32_t>(names_.size());
        const auto [known, is_new] = numbers_.try_emplace(name, number);
        if (is_new) {
            names_.push_back(&known->first);
        }
        const auto index = static_cast<std::uint32_t>(nodes_.size());
        const auto [entry, was_added] = children_.try_emplace({parent, known->second}, index);
        if (was_added) {
            nodes_.push_back({parent, known->second, 0});
        }
        return entry->second;
    }

    void add(std::uint32_t index, std::uint64_t value) { nodes_[index].value += value; }

    /// Effects: writes a line for each node that has a value, in the order of names.
    void write(output_file& to) const {
        // Sorts the children of each node together, by name.
        std::vector<std::uint32_t> order(nodes_.size());
        for (std::uint32_t index = 0; index < order.size(); ++index) {
            order[index] = index;
        }
        const auto by_parent = [&](std::uint32_t left, std::uint32_t right) {
            if (nodes_[left].parent != nodes_[right].parent) {
                return nodes_[left].parent < nodes_[right].parent;
            }
            return *names_[nodes_[left].name] < *names_[nodes_[right].name];
        };
        std::sort(order.begin() + 1, order.end(), by_parent);
        std::vector<std::uint32_t> first(nodes_.size() + 1, static_cast<std::uint32_t>(order.size()));
        for (std::size_t index = order.size(); index-- > 1;) {
            first[nodes_[order[index]].parent] = static_cast<std::uint32_t>(index);
        }
        struct step {
            std::uint32_t next = 0; ///< place in `order`
            std::uint32_t parent = 0;
            std::size_t text = 0; ///< length of the parent's line
        };
        std::string line;
        std::vector<step> path{{first[0], 0, 0}};
        while (!path.empty()) {
            step& current = path.back();
            line.resize(current.text);
            if (current.next >= order.size() || nodes_[order[current.next]].parent != current.parent) {
                path.pop_back();
                continue;
            }
            const std::uint32_t index = order[current.next++];
            if (!line.empty()) {
                line += ';';
            }
            line += *names_[nodes_[index].name];
            if (nodes_[index].value != 0) {
                to.write(line + ' ' + std::to_string(nodes_[index].value) + '\n');
            }
            path.push_back({first[index], index, line.size()});
        }
    }

private:
    std::map<std::string, std::uint32_t> numbers_;
    std::vector<const std::string*> names_;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> children_;
    std::vector<node> nodes_{1};
};

std::string folded_name(const place& function) {
    std::string name = function.short_name;
    std::ranges::replace(name, ';', ':');
    return function.inlined ? name + "_[i]" : name; // as stackcollapse-perf.pl marks them
}

using measure = std::uint64_t(const block_counts&);

void write_folded(trace::reader& trace, std::size_t process, code_map& code, const std::filesystem::path& to,
                  measure* value) {
    const trace::context_tree& contexts = trace.contexts(process);
    const heap_history history(trace, process);
    std::vector<bool> allocated(contexts.size());
    for (std::size_t context = 0; context < contexts.size(); ++context) {
        allocated[context] = value(history.contexts()[context]) != 0;
    }
    const std::vector<bool> shown = contexts_to_show(contexts, allocated);
    frame_table frames(contexts, code, trace.code(process).size());
    named_tree tree;
    std::vector<std::uint32_t> node_by_context(contexts.size());
    for (trace::context_id context = 0; context < contexts.size(); ++context) {
        if (!shown[context]) {
            continue;
        }
        std::uint32_t node = context < trace::stack_ends ? 0 : node_by_context[contexts.parent(context)];
        std::optional<std::uint32_t> level = frames.find_level(context);
        if (!level && node == 0 && allocated[context]) {
            level = frames.no_stack();
        }
        if (level) {
            for (const place& function : frames[*level].places | std::views::reverse) {
                node = tree.child(node, folded_name(function));
            }
        }
        // Stacks with equal ends begin at the root, whether they have levels or not.
        node_by_context[context] = context < trace::stack_ends && !frames.find_level(context) ? 0 : node;
        if (allocated[context]) {
            tree.add(node, value(history.contexts()[context]));
        }
    }
    output_file file(to);
    tree.write(file);
    file.commit();
}

} // namespace

void write_folded_bytes(trace::reader& trace, std::size_t process, code_map& code,
                        const std::filesystem::path& to) {
    write_folded(trace, process, code, to, [](const block_counts& counts) { return counts.allocated.bytes; });
}

void write_folded_blocks(trace::reader& trace, std::size_t process, code_map& code,
                         const std::filesystem::path& to) {
    write_folded(trace, process, code, to,
                 [](const block_counts& counts) { return counts.allocated.blocks; });
}

void write_folded_peak(trace::reader& trace, std::size_t process, code_map& code,
                       const std::filesystem::path& to) {
    write_folded(trace, process, code, to, [](const block_counts& counts) { return counts.at_peak.bytes; });
}

void write_folded_end(trace::reader& trace, std::size_t process, code_map& code,
                      const std::filesystem::path& to) {
    write_folded(trace, process, code, to, [](const block_counts& counts) { return counts.alive.bytes; });
}

} // namespace mallard::advisor
