/// Benchmark II: subsystems whose memory becomes shuffled, as in a long-running program.
///
/// A system of lists is built. Then each list in turn moves elements to random lists. At each shuffle factor the
/// visits of the lists are timed, under every access factor (the number of traversals of a list before the next one
/// is visited). At the end, all lists are cleared, filled again and traversed once.
///
/// Source: P0089R1, section 8; P0213R0, section 10.

#include "runner/harness/process.hpp"
#include "runner/harness/static_buffer.hpp"
#include "runner/workload/experiments.hpp"
#include "runner/workload/locality/strategies.hpp"

#include <algorithm>
#include <new>

namespace bench {

namespace {

constexpr unsigned least_links_log2 = 10;
constexpr unsigned most_links_log2 = 27;
constexpr std::int64_t most_shuffles = 100;
constexpr std::int64_t most_traversals = 1 << 20;

/// Effects: reads the length of a visit from exactly one of the two options.
void parse_length_of_visit(arguments& args, locality_cell& cell) {
    cell.accesses = static_cast<std::size_t>(args.number("accesses", 0, 0, std::int64_t{1} << 40));
    cell.repeat_factor = static_cast<std::size_t>(args.number("repeat-factor", 0, 0, 1 << 20));
    if ((cell.accesses == 0) == (cell.repeat_factor == 0)) {
        throw usage_error("--accesses " + std::to_string(cell.accesses) + ", --repeat-factor " +
                          std::to_string(cell.repeat_factor) +
                          ": give one of them, at least 1: without it nothing is accessed, so that there is "
                          "nothing to time; with both it is not clear when to stop");
    }
}

locality_cell parse(arguments& args, const run_options& options) {
    locality_cell cell{};
    const std::int64_t links = args.number("links", -1, 1 << least_links_log2, 1 << most_links_log2);
    cell.links = static_cast<std::size_t>(links);
    const std::int64_t list_length = args.number("list-length", -1, 1, 1 << most_links_log2);
    cell.list_length = static_cast<std::size_t>(list_length);
    if (list_length > links) {
        throw usage_error("--list-length " + std::to_string(list_length) + " is more than --links " +
                          std::to_string(links) + ": a list cannot be longer than the whole system");
    }
    if (links % list_length != 0) {
        throw usage_error("--list-length " + std::to_string(list_length) +
                          ": allowed are divisors of --links " + std::to_string(links) +
                          ", because the system is a whole number of lists of that length");
    }
    for (const std::int64_t factor : args.numbers("shuffle-factors", "0,5", 0, most_shuffles)) {
        cell.shuffle_factors.push_back(static_cast<std::size_t>(factor));
    }
    if (!std::ranges::is_sorted(cell.shuffle_factors, std::less_equal<>())) {
        throw usage_error("--shuffle-factors: allowed are ascending numbers, because what was shuffled stays "
                          "so");
    }
    for (const std::int64_t factor :
         args.numbers("access-factors", "256,128,64,32,16,8,4,2,1", 1, most_traversals)) {
        cell.access_factors.push_back(static_cast<std::size_t>(factor));
    }
    parse_length_of_visit(args, cell);
    cell.seed = static_cast<std::uint64_t>(options.seed);
    cell.look = options.repetition == 0;
    return cell;
}

std::string join(const std::vector<std::size_t>& numbers) {
    std::string text;
    for (const std::size_t n : numbers) {
        text += (text.empty() ? "" : ",") + std::to_string(n);
    }
    return text;
}

void write_parameters(const locality_cell& cell, json_writer& json) {
    json.member("links", cell.links)
        .member("list_length", cell.list_length)
        .member("shuffle_factors", join(cell.shuffle_factors))
        .member("access_factors", join(cell.access_factors));
    if (cell.repeat_factor == 0) {
        json.member("accesses", cell.accesses);
    } else {
        json.member("repeat_factor", cell.repeat_factor);
    }
}

/// Returns: an estimate of the memory of the system: the links, with malloc's headers, and the subsystems, each with
/// a first chunk if it owns an allocator.
std::size_t bytes_expected(const locality_cell& cell, const strategy& subject) {
    constexpr std::size_t bytes_a_link = 40;
    const std::size_t bytes_a_subsystem =
        subsystem_bytes(subject) +
        (subject.has_own_allocator() ? find_row(subject.mechanism).first_bytes : 16);
    return cell.links * bytes_a_link + cell.links / cell.list_length * bytes_a_subsystem;
}

} // namespace

row run_locality(arguments& args, run_options& options) {
    const strategy subject = choose_strategy(args, options, has_locality);
    const locality_cell cell = parse(args, options);
    args.finish();

    row result;
    result.experiment = "locality";
    result.write_parameters = [cell](json_writer& json) { write_parameters(cell, json); };
    try {
        const std::size_t expected = bytes_expected(cell, subject);
        expect_room(expected, options.notes);
        bring_in(std::min(expected, most_to_bring_in()));
        measure_locality_under(subject, cell, result);
    } catch (const std::bad_alloc&) {
        result.out_of_memory = true;
        result.timed = {};
        result.figures.clear();
    }
    return result;
}

void describe_locality(json_writer& json) {
    describe_strategies(json, has_locality);
    json.key("links_log2").open('[').value(least_links_log2).value(most_links_log2).close(']');
}

} // namespace bench
