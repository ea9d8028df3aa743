/// Plan: the heap's other user by itself, then small cells in this process.
///   1. the share of chunks is freed before, the others afterwards; sizes from 1 to 1024; drawn from the seed
///   2. the work is density's under every strategy, share and upstream: checksums and counts are density's
///   3. invalid options are refused with a reason

#include "run_words.hpp"
#include "runner/workload/experiments.hpp"
#include "runner/workload/perturbation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace {

using bench::error_message;
using bench::run_words;

/// Records the chunks in use, and the order of the frees.
struct ledger_heap {
    void* allocate(std::size_t bytes, std::size_t alignment) {
        EXPECT_EQ(alignment, alignof(std::max_align_t));
        void* p = ::operator new(bytes);
        number[p] = sizes.size();
        sizes.push_back(bytes);
        in_use[p] = bytes;
        return p;
    }
    void deallocate(void* p, std::size_t bytes, std::size_t) {
        ASSERT_TRUE(in_use.contains(p));
        EXPECT_EQ(in_use.at(p), bytes);
        in_use.erase(p);
        freed.push_back(number.at(p));
        kept.push_back(p); // kept, so that no address is returned twice
    }
    ~ledger_heap() {
        for (void* p : kept) {
            ::operator delete(p);
        }
    }

    std::map<void*, std::size_t> in_use;
    std::map<void*, std::size_t> number;
    std::vector<std::size_t> sizes;
    std::vector<std::size_t> freed;
    std::vector<void*> kept;
};

TEST(perturbation, frees_the_requested_chunks_first) {
    for (const std::size_t freed : {0U, 512U, 1024U, 2048U, 4096U}) {
        ledger_heap heap;
        {
            const bench::perturbation<ledger_heap> used_heap(heap, 4096, freed, 1);
            EXPECT_EQ(heap.sizes.size(), 4096U);
            EXPECT_EQ(heap.freed.size(), freed);
            EXPECT_EQ(heap.in_use.size(), 4096 - freed);
            EXPECT_EQ(used_heap.live_chunks(), 4096 - freed);
        }
        EXPECT_TRUE(heap.in_use.empty());
        EXPECT_EQ(heap.freed.size(), 4096U);
    }
}

TEST(perturbation, draws_sizes_and_freed_chunks_uniformly) {
    ledger_heap heap;
    const bench::perturbation<ledger_heap> used_heap(heap, 1 << 16, 1 << 13, 1);
    EXPECT_EQ(*std::ranges::min_element(heap.sizes), 1U);
    EXPECT_EQ(*std::ranges::max_element(heap.sizes), 1024U);
    double sum = 0;
    for (const std::size_t bytes : heap.sizes) {
        sum += static_cast<double>(bytes);
    }
    EXPECT_NEAR(sum / 65536, 512.5, 5.0);
    // Of each quarter of the chunks about a quarter of those that are freed.
    std::map<std::size_t, int> freed_by_quarter;
    for (const std::size_t number : heap.freed) {
        ++freed_by_quarter[number / (1 << 14)];
    }
    for (std::size_t quarter = 0; quarter != 4; ++quarter) {
        EXPECT_NEAR(freed_by_quarter[quarter], 2048, 200);
    }
}

TEST(perturbation, is_drawn_from_the_seed) {
    const auto freed = [](std::uint64_t seed) {
        ledger_heap heap;
        const bench::perturbation<ledger_heap> used_heap(heap, 256, 128, seed);
        return std::pair(heap.sizes, heap.freed);
    };
    EXPECT_EQ(freed(1), freed(1));
    EXPECT_NE(freed(1), freed(2));
}

const std::string work = "--ds DS8 --size 6 --inner 3 --product 10 --buffer-bytes 1048576 --strategy ";

TEST(fragmentation, does_the_work_of_density_under_all_strategies) {
    const bench::row reference = run_words(bench::run_density, work + "new-delete");
    ASSERT_EQ(reference.checksum.size(), 16U);
    for (const bench::strategy& s : bench::strategies()) {
        if (!bench::has_fragmentation(s)) {
            continue;
        }
        for (const char* extra_options : {" --freed none", " --freed all", " --freed half", " --freed eighth",
                                          " --freed half --buffer none", " --freed half --upstream heap"}) {
            const bool from_heap = std::string(extra_options).find("heap") != std::string::npos;
            if (from_heap && (s.reuse != bench::reuse_kind::standard || s.is_contender())) {
                continue;
            }
            const bench::row row =
                run_words(bench::run_fragmentation,
                          work + std::string(s.name) + extra_options + " --perturb-chunks-log2 10");
            EXPECT_EQ(row.checksum, reference.checksum) << s.name << extra_options;
            EXPECT_EQ(row.operations, reference.operations) << s.name << extra_options;
            EXPECT_EQ(row.iterations, reference.iterations) << s.name << extra_options;
            EXPECT_EQ(row.spills, 0) << s.name << extra_options;
        }
    }
}

TEST(fragmentation, reports_the_upstream_and_the_freed_share) {
    const bench::row row =
        run_words(bench::run_fragmentation, work + "multipool --freed quarter --upstream heap");
    bench::json_writer json;
    json.open('{');
    row.write_parameters(json);
    json.close('}');
    EXPECT_NE(json.text().find(R"("buffer":"none")"), std::string::npos);
    EXPECT_NE(json.text().find(R"("freed":"quarter","upstream":"heap")"), std::string::npos);
}

#ifdef __cpp_exceptions
TEST(fragmentation_usage, refuses_invalid_options) {
    const auto expect_error = [](const std::string& line, const std::string& text) {
        const std::string message = error_message(bench::run_fragmentation, work + line);
        EXPECT_NE(message.find(text), std::string::npos) << line << ": " << message;
    };
    expect_error("multipool", "--freed '': allowed are none, all, half, quarter, eighth");
    expect_error("multipool --freed third", "--freed 'third'");
    expect_error("monotonic --freed half --upstream heap --buffer warm", "--buffer none");
    expect_error("multipool-first --freed half --upstream heap", "give multipool, or --upstream cache");
    expect_error("pmr-monotonic --freed half --upstream heap --buffer none",
                 "give multipool, or --upstream cache");
    expect_error("concurrent-multipool --freed half", "--strategy 'concurrent-multipool'");
    expect_error("multipool --freed half --perturb-chunks-log2 2", "from 3 to 24");
}
#endif

} // namespace
