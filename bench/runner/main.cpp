/// mallard-bench: runs one cell of one experiment and prints one line of JSON (bench/results/README.md).
#include "runner/harness/arguments.hpp"
#include "runner/harness/build_info.hpp"
#include "runner/harness/page_size.hpp"
#include "runner/harness/process.hpp"
#include "runner/harness/row.hpp"
#include "runner/strategy/table.hpp"
#include "runner/workload/experiments.hpp"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace bench { namespace {

constexpr std::string_view usage =
    "usage: mallard-bench --describe\n"
    "       mallard-bench programs --program json --size small --strategy multipool [--operations N]\n"
    "       mallard-bench density --ds DS2 --size 14 --strategy multipool [--product 20] [--inner 7]\n"
    "                     [--buffer warm|cold|none] [--buffer-bytes N] [--hash prefix|full]\n"
    "       mallard-bench primitives --operation pair|create --strategy multipool [--product 24]\n"
    "       mallard-bench locality --links 2097152 --list-length 512 --strategy multipool\n"
    "                     [--shuffle-factors 0,5] [--access-factors 256,128,64,32,16,8,4,2,1]\n"
    "                     --accesses N | --repeat-factor N\n"
    "       mallard-bench utilization --total-log2 30 --active-log2 15 --block-log2 10 --strategy multipool\n"
    "                     [--buffer warm|cold|none] [--final-frees timed|untimed]\n"
    "       mallard-bench contention --threads 2 --strategy multipool [--iterations-log2 15] [--multiplier "
    "100]\n"
    "                     [--block-log2 6] [--buffer static|none] [--freed-by self|other]\n"
    "       mallard-bench fragmentation --freed none|all|half|quarter|eighth, and the options of density\n"
    "                     [--upstream cache|heap] [--perturb-chunks-log2 16]\n"
    "       mallard-bench dimensions --strategy multipool [--accesses 16] [--sizes 4] [--traversals 4]\n"
    "                     [--generations 4] [--threads 1] [--operations 1000000]\n"
    "       mallard-bench small-objects --strategy multipool [--object-bytes 16] [--objects 1000000]\n"
    "                     [--order shuffled|in-order]\n"
    "       mallard-bench fixed-block --work new-delete|replace|list|map|remove-ctrl --strategy multipool\n"
    "                     [--version as-printed|append|...] [--count N]\n"
    "       mallard-bench adaptive-pool --range 10 --strategy multipool [--nodes 2000000]\n"
    "       mallard-bench burst --range 10 --strategy heap-burst [--nodes 2000000]\n"
    "       mallard-bench expansion-forward --elements 10000 --strategy heap-v2 [--iterations N]\n"
    "                     [--type int|myint]\n"
    "       mallard-bench expansion-backward, and the options of expansion-forward\n"
    "       mallard-bench shrink-to-fit --elements 10000 --strategy heap-v2 [--step 5] [--iterations N]\n"
    "                     [--type int|myint]\n"
    "       mallard-bench heap-churn --strategy heap [--operations 10000000] [--live 100000]\n"
    "                     [--least-bytes 16] [--most-bytes 4096]\n"
    "       mallard-bench reuse --strategy multipool [--block-bytes 64] [--live 4096]\n"
    "                     [--pattern in-order|reversed|random|replaced|half] [--sizes same|mixed]\n"
    "                     [--operations 4000000]\n"
    "       for all: [--seed 1] [--repetition 0] [--pages small|huge|usual] [--cpu N]\n"
    "                [--allow-unoptimised]\n"
    "Runs one cell and prints one line of JSON. Exit status: 0 done, 2 usage, 3 out of memory.\n";

struct experiment {
    std::string_view name;
    row (*run)(arguments&, run_options&);
    void (*describe)(json_writer&);
};

constexpr experiment experiments[] = {
    {"programs", run_programs, describe_programs},
    {"density", run_density, describe_density},
    {"locality", run_locality, describe_locality},
    {"utilization", run_utilization, describe_utilization},
    {"contention", run_contention, describe_contention},
    {"fragmentation", run_fragmentation, describe_fragmentation},
#ifndef BENCH_SURVEY_ONLY
    {"dimensions", run_dimensions, describe_dimensions},
    {"primitives", run_primitives, describe_primitives},
#endif
    {"small-objects", run_small_objects, describe_small_objects},
    {"fixed-block", run_fixed_block, describe_fixed_block},
#ifndef BENCH_SURVEY_ONLY
    {"adaptive-pool", run_adaptive_pool, describe_adaptive_pool},
#endif
    {"expansion-forward", run_expansion_forward, describe_expansion_forward},
#ifndef BENCH_SURVEY_ONLY
    {"expansion-backward", run_expansion_backward, describe_expansion_backward},
    {"shrink-to-fit", run_shrink_to_fit, describe_shrink_to_fit},
#endif
    {"burst", run_burst, describe_burst},
#ifndef BENCH_SURVEY_ONLY
    {"heap-churn", run_heap_churn, describe_heap_churn},
#endif
    {"reuse", run_reuse, describe_reuse},
};

std::string experiment_names() {
    std::string names;
    for (const experiment& e : experiments) {
        names.append(names.empty() ? "" : ", ").append(e.name);
    }
    return names;
}

std::string standard_library() {
#ifdef _LIBCPP_VERSION
    return "libc++ " + std::to_string(_LIBCPP_VERSION / 10000);
#else
    return "libstdc++ " + std::to_string(_GLIBCXX_RELEASE);
#endif
}

void describe() {
    json_writer json;
    json.open('{')
        .member("format", row_format)
        .member("version", this_build.version)
        .member("compiler", this_build.compiler)
        .member("standard_library", standard_library())
        .member("flags", this_build.flags)
        .member("optimised", build_is_optimised())
        .member("sanitizers", this_build.sanitizers)
        .member("commit", this_build.commit)
        .member("build_id", program_fingerprint());
    describe_missing(json);
    describe_registry(json);
    json.key("experiments").open('{');
    for (const experiment& e : experiments) {
        json.key(e.name).open('{');
        e.describe(json);
        json.close('}');
    }
    std::puts(json.close('}').close('}').text().c_str());
}

run_options common_options(arguments& args) {
    run_options options;
    options.seed = args.number("seed", 1, 0, INT64_MAX);
    options.repetition = args.number("repetition", 0, 0, 1'000'000);
    const auto& sizes = page_size_names;
    const std::string pages = args.choice("pages", {std::begin(sizes), std::end(sizes)}, "small");
    use_pages(static_cast<page_size>(std::ranges::find(sizes, pages) - sizes), options.notes);
    if (const auto cpu = args.number("cpu", -1, -1, 4095); cpu >= 0) {
        if (pin_to(static_cast<int>(cpu))) {
            options.pinned_cpu = static_cast<int>(cpu);
        } else {
            options.notes.emplace_back("not pinned: this process may not run on processor " +
                                       std::to_string(cpu));
        }
    }
    const bool allowed = args.flag("allow-unoptimised");
    if (!build_is_optimised()) {
        if (!allowed) {
            throw usage_error(
                "this build is not optimised, or has sanitizers in it: its times mean nothing. Build it with "
                "`cmake --preset release`, or give --allow-unoptimised to run it anyway");
        }
        options.notes.emplace_back("unoptimised build: the times mean nothing");
    }
    return options;
}

std::string join_notes(const std::vector<std::string>& notes) {
    std::string text;
    for (const std::string& note : notes) {
        text += "; " + note;
    }
    return text;
}

int run(std::span<char* const> words) {
    const std::string_view verb = words.empty() ? "" : words.front();
    if (verb == "--help" || verb == "-h") {
        std::fwrite(usage.data(), 1, usage.size(), stdout);
        return 0;
    }
    if (verb == "--describe") {
        describe();
        return 0;
    }
    for (const experiment& e : experiments) {
        if (e.name == verb) {
            arguments args(words.subspan(1));
            run_options options = common_options(args);
            const row result = e.run(args, options);
            std::puts(to_json(result, options).c_str());
            if (result.out_of_memory) {
                std::fprintf(stderr, "mallard-bench: out of memory%s\n", join_notes(options.notes).c_str());
                return 3;
            }
            return 0;
        }
    }
    throw usage_error("unknown experiment '" + std::string(verb) + "': allowed are " + experiment_names());
}

}} // namespace bench

int main(int argc, char** argv) {
    try {
        return bench::run(std::span(argv, static_cast<std::size_t>(argc)).subspan(1));
    } catch (const bench::usage_error& error) {
        std::fprintf(stderr, "mallard-bench: error: %s\n", error.what());
        return 2;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "mallard-bench: error: %s\n", error.what());
        return 1;
    }
}
