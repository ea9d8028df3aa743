/// Plan: each strategy runs each operation as often as it reports; winked-out strategies are not in this experiment.
#include "run_words.hpp"
#include "runner/strategy/table.hpp"
#include "runner/workload/experiments.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace {

bench::row run(const std::string& operation, const std::string& strategy) {
    return bench::run_words(bench::run_primitives,
                            "--operation " + operation + " --strategy " + strategy + " --product 10");
}

TEST(primitives, run_under_every_strategy_that_frees) {
    for (const char* name :
         {"null", "null/base", "new-delete", "new-delete/base", "monotonic", "monotonic/base", "multipool",
          "multipool/base", "multipool+monotonic", "multipool+monotonic/base"}) {
        for (const char* operation : {"pair", "create"}) {
            const bench::row row = run(operation, name);
            EXPECT_EQ(row.operations, 1024) << name << ' ' << operation;
            EXPECT_GT(row.timed.wall_ns, 0) << name << ' ' << operation;
            EXPECT_FALSE(row.out_of_memory) << name << ' ' << operation;
        }
    }
}

TEST(primitives, refuse_strategies_that_wink_out) {
    EXPECT_THROW(static_cast<void>(run("pair", "monotonic/wink")), bench::usage_error);
    EXPECT_THROW(static_cast<void>(run("triple", "monotonic")), bench::usage_error);
}

} // namespace
