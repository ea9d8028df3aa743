#include "profiler/program/rules_document.hpp"

#include "profiler/program/arguments.hpp"
#include "profiler/program/event_stream.hpp"
#include "profiler/scopes/scope_rules.hpp"
#include "trace/json_writer.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <span>
#include <string_view>
#include <tuple>
#include <vector>

namespace mallard::advisor {

using trace::json_writer;

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

/// Places of one file.
struct place_range {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
};

bool contains(std::span<const place_range> ranges, std::uint64_t place) noexcept {
    return std::ranges::any_of(
        ranges, [&](const place_range& range) { return range.begin <= place && place < range.end; });
}

std::vector<place_range> read_code(std::string_view text, file_numbers& files) {
    std::vector<place_range> ranges;
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
                              "' is not code. Give FILE:OFFSET,BEGIN-END;FILE:OFFSET in hexadecimal.");
        }
        while (at != end) {
            std::uint64_t begin = 0;
            std::from_chars_result number = std::from_chars(++at, end, begin, 16);
            std::uint64_t range_end = begin + 1;
            if (number.ec == std::errc{} && number.ptr != end && *number.ptr == '-') {
                number = std::from_chars(number.ptr + 1, end, range_end, 16);
            }
            if (number.ec != std::errc{} || (number.ptr != end && *number.ptr != ',') || begin >= range_end ||
                range_end > std::uint64_t{1} << offset_bits) {
                throw usage_error("'" + all + "' is not code: '" + std::string(at, end) +
                                  "' is not a list of hexadecimal offsets and ranges.");
            }
            const std::uint64_t first = to_place(file, 0);
            ranges.push_back({first + begin, first + range_end});
            at = number.ptr;
        }
    }
    return ranges;
}

/// Returns: the position of each context.
std::vector<position> positions_of_stacks(const trace::context_tree& contexts, const place_lookup& find_place,
                                          std::span<const place_range> code,
                                          std::span<const place_range> excluded) {
    std::vector<bool> is_code(contexts.addresses());
    std::vector<bool> is_excluded(contexts.addresses());
    for (trace::address_id number = 1; number < contexts.addresses(); ++number) {
        const std::uint64_t place = find_place(contexts.address_at(number));
        is_code[number] = contains(code, place);
        is_excluded[number] = contains(excluded, place);
    }
    std::vector<position> positions(contexts.size());
    for (std::size_t node = trace::stack_ends; node < contexts.size(); ++node) {
        const auto context = static_cast<trace::context_id>(node);
        const trace::address_id number = contexts.address_number(context);
        const position outer = positions[contexts.parent(context)];
        positions[node] = outer;
        if (contexts.address(context) == trace::context_tree::omitted_levels) {
            // The omitted levels may be in the code.
            if (outer == position::outside || (outer == position::inside && !excluded.empty())) {
                positions[node] = position::unknown;
            }
        } else if (outer == position::inside ||
                   (is_code[number] &&
                    (outer == position::outside || (outer == position::unknown && excluded.empty())))) {
            positions[node] = is_excluded[number] ? position::excluded : position::inside;
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
    const std::vector<place_range> scope = read_code(code, files);
    const std::vector<place_range> exceptions = read_code(excluded, files);
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
        // The text of the rules cannot have a path with a semicolon.
        const bool is_in_text =
            place && place->offset >> offset_bits == 0 && place->path.find(';') == std::string::npos;
        return is_in_text ? to_place(files.number(place->path), place->offset) : no_place;
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
