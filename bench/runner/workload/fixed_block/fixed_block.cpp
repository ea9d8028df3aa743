/// The experiments of the chapter on blocks of a fixed size, with a few blocks that stay in the cache.
///
///     new-delete    an object of 24 bytes, constructed and deleted
///     replace       100 pointers to such objects, one of them deleted and replaced at random each time
///     list, map     a container of 1,000 integers, constructed and destroyed
///     remove-ctrl   a string without its control characters: as printed, and in the book's better versions
///
/// All memory comes from the strategy. An object uses a class-specific operator new, or a stand-in for one. A
/// container or a string uses an allocator that lives as long as the process.
///
/// Source: Optimized C++, chapter 13; its versions of remove_ctrl are those of chapter 4.

#include "runner/workload/experiments.hpp"
#include "runner/workload/fixed_block/works.hpp"

#include <algorithm>
#include <iterator>
#include <new>

namespace bench {

namespace {

constexpr fixed_block_work works[] = {
#ifndef BENCH_SURVEY_ONLY
    {"new-delete", std::size_t{1} << 23, has_objects, measure_new_delete},
    {"replace", std::size_t{1} << 23, has_objects, measure_replace},
#endif
    {"list", std::size_t{1} << 13, has_containers, measure_list},
    {"map", std::size_t{1} << 12, has_containers, measure_map},
#ifndef BENCH_SURVEY_ONLY
    {"remove-ctrl", std::size_t{1} << 15, has_strings, measure_remove_ctrl},
#endif
};
constexpr std::int64_t most_count = std::int64_t{1} << 40;
constexpr std::string_view with_versions = "remove-ctrl";

std::vector<std::string> versions() {
    if constexpr (survey_only) {
        return {};
    } else {
        return remove_ctrl_versions();
    }
}

/// True if any of the works has the strategy.
bool has_fixed_block(const strategy& s) noexcept {
    return std::ranges::any_of(works, [&s](const fixed_block_work& work) { return work.offered(s); });
}

std::vector<std::string> work_names() {
    std::vector<std::string> names;
    for (const fixed_block_work& work : works) {
        names.emplace_back(work.name);
    }
    return names;
}

const fixed_block_work& find_work(std::string_view name) {
    return *std::ranges::find(works, name, &fixed_block_work::name);
}

fixed_block_cell parse(arguments& args, run_options& options) {
    fixed_block_cell cell{};
    cell.work = args.choice("work", work_names());
    const fixed_block_work& work = find_work(cell.work);
    if (cell.work == with_versions) {
        const std::vector<std::string> names = versions();
        cell.version = args.choice("version", names, names.front());
    } else if (const std::string version = args.text("version", ""); !version.empty()) {
        throw usage_error("--version " + version + " with --work " + cell.work + ": only --work " +
                          std::string(with_versions) + " has versions; leave it out");
    }
    cell.subject = choose_strategy(args, options, work.offered);
    cell.count = static_cast<std::size_t>(
        args.number("count", static_cast<std::int64_t>(work.default_count), 1, most_count));
    cell.seed = static_cast<std::uint64_t>(options.seed);
    cell.look = options.repetition == 0;
    return cell;
}

void write_parameters(const fixed_block_cell& cell, json_writer& json) {
    json.member("work", cell.work);
    if (!cell.version.empty()) {
        json.member("version", cell.version);
    }
    json.member("count", cell.count);
}

} // namespace

row run_fixed_block(arguments& args, run_options& options) {
    const fixed_block_cell cell = parse(args, options);
    args.finish();

    row result;
    result.experiment = "fixed-block";
    result.write_parameters = [cell](json_writer& json) { write_parameters(cell, json); };
    try {
        find_work(cell.work).measure(cell, result);
    } catch (const std::bad_alloc&) {
        result.out_of_memory = true;
        result.timed = {};
        result.figures.clear();
    }
    return result;
}

void describe_fixed_block(json_writer& json) {
    describe_strategies(json, has_fixed_block, pool_listing::strategies);
    json.key("works").open('[');
    for (const fixed_block_work& work : works) {
        json.open('{').member("name", work.name);
        if (work.name == with_versions) {
            json.key("versions").open('[');
            for (const std::string& version : versions()) {
                json.value(version);
            }
            json.close(']');
        }
        json.key("strategies").open('[');
        for (const std::string& name : strategy_names(work.offered)) {
            json.value(name);
        }
        json.close(']').close('}');
    }
    json.close(']').key("count").open('[').value(1).value(most_count).close(']');
}

} // namespace bench
