#include "advisor/export/block_counts.hpp"
#include "advisor/export/exports.hpp"
#include "advisor/export/frame_table.hpp"
#include "advisor/export/output_file.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>

namespace mallard::advisor {

namespace {

/// Stacks by the names of their functions: stacks that differ in lines alone are one.
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
        const auto made = static_cast<std::uint32_t>(nodes_.size());
        const auto [place, was_added] = children_.try_emplace({parent, known->second}, made);
        if (was_added) {
            nodes_.push_back({parent, known->second, 0});
        }
        return place->second;
    }

    void add(std::uint32_t which, std::uint64_t value) { nodes_[which].value += value; }

    /// Effects: writes a line for each node that has a value, in the order of names.
    void write(output_file& to) const {
        // Children lie together, sorted.
        std::vector<std::uint32_t> order(nodes_.size());
        for (std::uint32_t each = 0; each < order.size(); ++each) {
            order[each] = each;
        }
        const auto by_parent = [&](std::uint32_t one, std::uint32_t other) {
            if (nodes_[one].parent != nodes_[other].parent) {
                return nodes_[one].parent < nodes_[other].parent;
            }
            return *names_[nodes_[one].name] < *names_[nodes_[other].name];
        };
        std::sort(order.begin() + 1, order.end(), by_parent);
        std::vector<std::uint32_t> first(nodes_.size() + 1, static_cast<std::uint32_t>(order.size()));
        for (std::size_t each = order.size(); each-- > 1;) {
            first[nodes_[order[each]].parent] = static_cast<std::uint32_t>(each);
        }
        struct step {
            std::uint32_t next = 0; ///< place in `order`
            std::uint32_t parent = 0;
            std::size_t text = 0; ///< length of the parent's line
        };
        std::string line;
        std::vector<step> path{{first[0], 0, 0}};
        while (!path.empty()) {
            step& here = path.back();
            line.resize(here.text);
            if (here.next >= order.size() || nodes_[order[here.next]].parent != here.parent) {
                path.pop_back();
                continue;
            }
            const std::uint32_t which = order[here.next++];
            if (!line.empty()) {
                line += ';';
            }
            line += *names_[nodes_[which].name];
            if (nodes_[which].value != 0) {
                to.write(line + ' ' + std::to_string(nodes_[which].value) + '\n');
            }
            path.push_back({first[which], which, line.size()});
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
    std::replace(name.begin(), name.end(), ';', ':');
    return function.inlined ? name + "_[i]" : name; // as stackcollapse-perf.pl marks them
}

using measure = std::uint64_t(const block_counts&);

void write_folded(trace::reader& trace, std::size_t process, code_map& code, const std::filesystem::path& to,
                  measure* value) {
    const trace::context_tree& contexts = trace.contexts(process);
    const heap_history history(trace, process);
    std::vector<bool> allocated(contexts.size());
    for (std::size_t each = 0; each < contexts.size(); ++each) {
        allocated[each] = value(history.contexts()[each]) != 0;
    }
    const std::vector<bool> shown = contexts_to_show(contexts, allocated);
    frame_table frames(contexts, code, trace.code(process).size());
    named_tree tree;
    std::vector<std::uint32_t> node_of(contexts.size());
    for (trace::context_id each = 0; each < contexts.size(); ++each) {
        if (!shown[each]) {
            continue;
        }
        std::uint32_t node = each < trace::stack_ends ? 0 : node_of[contexts[each].parent];
        std::optional<std::uint32_t> level = frames.level_of(each);
        if (!level && node == 0 && allocated[each]) {
            level = frames.no_stack();
        }
        if (level) {
            const std::vector<place>& places = frames[*level].places;
            for (auto outer = places.rbegin(); outer != places.rend(); ++outer) {
                node = tree.child(node, folded_name(*outer));
            }
        }
        // Stacks that end in the same way begin at the root, whether they have levels or not.
        node_of[each] = each < trace::stack_ends && !frames.level_of(each) ? 0 : node;
        if (allocated[each]) {
            tree.add(node, value(history.contexts()[each]));
        }
    }
    output_file file(to);
    tree.write(file);
    file.commit();
}

} // namespace

void write_folded_bytes(trace::reader& trace, std::size_t process, code_map& code,
                        const std::filesystem::path& to) {
    write_folded(trace, process, code, to, [](const block_counts& of) { return of.allocated.bytes; });
}

void write_folded_blocks(trace::reader& trace, std::size_t process, code_map& code,
                         const std::filesystem::path& to) {
    write_folded(trace, process, code, to, [](const block_counts& of) { return of.allocated.blocks; });
}

void write_folded_peak(trace::reader& trace, std::size_t process, code_map& code,
                       const std::filesystem::path& to) {
    write_folded(trace, process, code, to, [](const block_counts& of) { return of.at_peak.bytes; });
}

void write_folded_end(trace::reader& trace, std::size_t process, code_map& code,
                      const std::filesystem::path& to) {
    write_folded(trace, process, code, to, [](const block_counts& of) { return of.alive.bytes; });
}

} // namespace mallard::advisor
