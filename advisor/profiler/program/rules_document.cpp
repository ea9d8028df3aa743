#include "profiler/program/rules_document.hpp"

#include "profiler/program/arguments.hpp"
#include "profiler/program/event_stream.hpp"
#include "profiler/report/json_writer.hpp"
#include "profiler/scopes/scope_rules.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <vector>

namespace mallard::advisor {

namespace {

/// The files of a process by number, in the order of their first use.
class file_numbers {
public:
    std::uint64_t number(const std::string& path) {
        const auto [entry, is_new] = numbers_.try_emplace(path, paths_.size());
        if (is_new) {
            paths_.push_back(path);
        }
        return entry->second;
    }
    [[nodiscard]] const std::string& path(std::uint64_t number) const { return paths_[number]; }

private:
    std::map<std::string, std::uint64_t> numbers_;
    std::vector<std::string> paths_;
};

constexpr unsigned offset_bits = 48;

constexpr std::uint64_t to_place(std::uint64_t file, std::uint64_t offset) noexcept {
    return file << offset_bits | offset;
}

std::set<std::uint64_t> read_code(std::string_view text, file_numbers& files) {
    std::set<std::uint64_t> places;
    const std::string all(text);
    while (!text.empty()) {
        const std::string_view entry = text.substr(0, text.find(';'));
        text.remove_prefix(std::min(text.size(), entry.size() + 1));
        const std::size_t colon = entry.rfind(':');
        const std::uint64_t file =
            colon == std::string_view::npos ? 0 : files.number(std::string(entry.substr(0, colon)));
        const char* at = entry.data() + (colon == std::string_view::npos ? entry.size() : colon);
        const char* const end = entry.data() + entry.size();
        if (at == end) {
            throw usage_error("'" + all +
                              "' is not code. Give FILE:OFFSET,OFFSET;FILE:OFFSET in hexadecimal.");
        }
        while (at != end) {
            std::uint64_t offset = 0;
            const auto [next, error] = std::from_chars(++at, end, offset, 16);
            if (error != std::errc{} || (next != end && *next != ',') || offset >> offset_bits != 0) {
                throw usage_error("'" + all + "' is not code: '" + std::string(at, end) +
                                  "' is not a list of hexadecimal offsets.");
            }
            places.insert(to_place(file, offset));
            at = next;
        }
    }
    return places;
}

/// Returns: the position of each context.
std::vector<position> positions_of_stacks(const trace::context_tree& contexts, const place_lookup& find_place,
                                          const std::set<std::uint64_t>& code,
                                          const std::set<std::uint64_t>& excluded) {
    std::vector<position> positions(contexts.size());
    for (std::size_t context = trace::stack_ends; context < contexts.size(); ++context) {
        const trace::context_tree::node level = contexts[static_cast<trace::context_id>(context)];
        const position outer = positions[level.parent];
        const std::uint64_t place = outer == position::excluded ? no_place : find_place(level.address);
        if (outer == position::outside) {
            positions[context] = code.contains(place) ? position::inside : position::outside;
        } else {
            positions[context] = excluded.contains(place) ? position::excluded : outer;
        }
    }
    return positions;
}

/// Returns: the rows as a trial reads them (advisor/trial/setting.hpp).
std::string to_text(scope_rules& rules, const file_numbers& files) {
    std::ranges::sort(rules.rows, {}, [](const scope_rules::row& row) {
        return std::tuple(row.place >> offset_bits, row.node, row.place);
    });
    constexpr auto hexadecimal = [](std::uint64_t number) {
        std::string digits(16, '0');
        const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number, 16).ptr;
        digits.resize(static_cast<std::size_t>(end - digits.data()));
        return digits;
    };
    std::string text;
    std::uint64_t last = no_place;
    for (const scope_rules::row& row : rules.rows) {
        const std::uint64_t file = row.place >> offset_bits;
        text += file == last ? "," : (text.empty() ? "" : ";") + files.path(file) + ':';
        last = file;
        text +=
            hexadecimal(row.node) + '.' + hexadecimal(row.place & ((std::uint64_t{1} << offset_bits) - 1));
        text += row.next != 0                        ? '>' + hexadecimal(row.next)
                : row.decision == position::inside   ? "+"
                : row.decision == position::excluded ? "x"
                                                     : "-";
    }
    return text;
}

} // namespace

std::string rules_document(trace::reader& reader, std::size_t process, code_names& names,
                           const std::string& code, const std::string& excluded) {
    file_numbers files;
    const std::set<std::uint64_t> scope = read_code(code, files);
    const std::set<std::uint64_t> exceptions = read_code(excluded, files);
    const trace::context_tree& contexts = reader.contexts(process);
    std::vector<std::uint64_t> allocations(contexts.size());
    event_stream events(reader, process);
    for (auto next = events.next(); !next.empty(); next = events.next()) {
        for (const trace::event& event : next) {
            if (trace::allocates(event.kind)) {
                ++allocations[event.context];
            }
        }
    }
    const place_lookup find_place = [&](std::uint64_t level) {
        const auto place = names.in_file(level);
        return place && place->offset >> offset_bits == 0 ? to_place(files.number(place->path), place->offset)
                                                          : no_place;
    };
    scope_rules rules = learn_rules(contexts, allocations,
                                    positions_of_stacks(contexts, find_place, scope, exceptions), find_place);
    json_writer to;
    to.begin_object()
        .field("rules", to_text(rules, files))
        .field("rows", rules.rows.size())
        .field("allocations", rules.allocations)
        .field("undecided", rules.undecided)
        .field("further_levels", rules.further_levels)
        .end_object();
    return to.text() + '\n';
}

} // namespace mallard::advisor
