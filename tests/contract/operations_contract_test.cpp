// Every operation of every allocator, with the k-th request to its upstream failing, once or permanently. A failure is
// reported and changes nothing; later operations behave as without it.
#include "contract/kind_test.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#ifdef __cpp_exceptions

namespace contract { namespace {

using equipment::ledger;

enum class step_kind { one, many, at_least, free_one, free_many, trim, rewind, release };

struct step {
    step_kind kind;
    std::size_t bytes = 0;
    std::size_t alignment = 8;
    std::size_t count = 1; ///< of blocks to allocate, or the index of the live block or chain to free
};

/// Grows pools of all sizes, empties them, and grows them again.
const step script[] = {
    {step_kind::one, 24},
    {step_kind::one, 300, 64},
    {step_kind::many, 24, 8, 700},
    {step_kind::one, 5000},
    {step_kind::at_least, 1000, 16},
    {step_kind::many, 64, 16, 300},
    {step_kind::one, 40'000, 4096},
    {step_kind::free_one, 0, 0, 1},
    {step_kind::free_many, 0, 0, 0},
    {step_kind::many, 24, 8, 2000},
    {step_kind::trim},
    {step_kind::one, 0, 1},
    {step_kind::one, 100'000, 16},
    {step_kind::free_one, 0, 0, 0},
    {step_kind::many, 9000, 8, 20},
    {step_kind::free_many, 0, 0, 1},
    {step_kind::at_least, 70'000, 8},
    {step_kind::rewind},
    {step_kind::one, 24},
    {step_kind::many, 48, 16, 500},
    {step_kind::one, 3000, 256},
    {step_kind::release},
    {step_kind::many, 24, 8, 900},
    {step_kind::one, 200},
    {step_kind::free_many, 0, 0, 0},
    {step_kind::trim},
    {step_kind::one, 16, 16},
};

/// The statistics of an allocator and its upstream.
struct state {
    std::vector<std::size_t> statistics;
    std::size_t requests;
    std::size_t held_blocks;
    std::size_t held_bytes;
    bool operator==(const state&) const = default;
};

class run {
public:
    explicit run(const kind& k) : allocator_(k.make(source)) {}

    /// Returns: false if the step ran out of memory.
    bool take(const step& s) {
        try {
            act(s);
            return true;
        } catch (const std::bad_alloc&) {
            return false;
        }
    }

    [[nodiscard]] state snapshot() const {
        const mallard::allocator_stats s = allocator_->stats();
        return {{s.chunks, s.chunk_bytes, s.large_blocks, s.large_bytes, s.spills, s.upstream_calls},
                source.granted().size(),
                source.outstanding(),
                source.outstanding_bytes()};
    }

    void finish() {
        forget();
        allocator_->release();
        EXPECT_EQ(source.outstanding(), 0U);
        EXPECT_EQ(source.complaints(), equipment::no_complaints);
    }

    ledger source;

private:
    struct chain {
        mallard::block_chain blocks;
        std::size_t bytes;
        std::size_t alignment;
    };
    struct block {
        void* p;
        std::size_t bytes;
        std::size_t alignment;
    };

    void act(const step& s) {
        switch (s.kind) {
        case step_kind::one:
            blocks_.push_back({allocator_->allocate(s.bytes, s.alignment), s.bytes, s.alignment});
            std::memset(blocks_.back().p, 0x5A, s.bytes);
            break;
        case step_kind::at_least:
            blocks_.push_back({allocator_->allocate_at_least(s.bytes, s.alignment).p, s.bytes, s.alignment});
            std::memset(blocks_.back().p, 0x5A, s.bytes);
            break;
        case step_kind::many:
            chains_.push_back(
                {allocator_->allocate_many(s.bytes, s.alignment, s.count), s.bytes, s.alignment});
            EXPECT_EQ(chains_.back().blocks.size(), s.count);
            break;
        case step_kind::free_one:
            if (s.count < blocks_.size()) {
                const block victim = blocks_[s.count];
                blocks_.erase(blocks_.begin() + static_cast<std::ptrdiff_t>(s.count));
                allocator_->deallocate(victim.p, victim.bytes, victim.alignment);
            }
            break;
        case step_kind::free_many:
            if (s.count < chains_.size()) {
                chain& victim = chains_[s.count];
                allocator_->deallocate_many(std::move(victim.blocks), victim.bytes, victim.alignment);
                chains_.erase(chains_.begin() + static_cast<std::ptrdiff_t>(s.count));
            }
            break;
        case step_kind::trim:
            allocator_->trim();
            break;
        case step_kind::rewind:
            forget();
            allocator_->rewind();
            break;
        case step_kind::release:
            forget();
            allocator_->release();
            break;
        }
    }

    void forget() {
        blocks_.clear();
        chains_.clear();
    }

    std::vector<block> blocks_;
    std::vector<chain> chains_;
    std::unique_ptr<model::subject> allocator_;
};

/// A thorough build lets the first requests of each step fail, and every seventh of a long burst, once and permanently. Other
/// builds do one of the two in each step, at the first requests and at one of a long burst.
constexpr bool thorough = MALLARD_THOROUGH;
constexpr std::size_t first_requests = thorough ? 16 : 3;
constexpr std::size_t in_a_long_burst = 61;

constexpr std::size_t next_request(std::size_t at) {
    return at < first_requests ? at + 1 : at + (thorough ? 7 : in_a_long_burst - first_requests);
}

class operations : public ::testing::TestWithParam<kind> {
protected:
    /// Effects: lets an upstream request of step number `tested` fail by the plan.
    /// Returns: false if the step makes fewer requests.
    bool fail(std::size_t tested, mallard::failure_plan plan) {
        run failing(GetParam());
        run control(GetParam());
        for (std::size_t i = 0; i != tested; ++i) {
            EXPECT_EQ(failing.take(script[i]), control.take(script[i]));
        }
        const state before = failing.snapshot();
        failing.source.fail(plan);
        const bool done = failing.take(script[tested]);
        const bool failed = failing.source.failed();
        failing.source.fail({.at = 0});
        const state after = failing.snapshot();
        if (failed && !done) {
            expect_unchanged(before, after, script[tested].kind == step_kind::many);
            EXPECT_EQ(failing.take(script[tested]), control.take(script[tested]))
                << "memory is available again";
        } else {
            EXPECT_EQ(done, control.take(script[tested]));
            EXPECT_FALSE(failed && plan.for_ever && GetParam().leaves_no_trace &&
                         !GetParam().has_other_memory)
                << "the failure was not reported";
        }
        if (failed) {
            compare_remaining_steps(failing, control, tested, GetParam().leaves_no_trace && after == before);
        }
        failing.finish();
        control.finish();
        return failed;
    }

private:
    void expect_unchanged(const state& before, const state& after, bool burst) const {
        if (GetParam().leaves_no_trace && !burst) {
            EXPECT_EQ(after.statistics, before.statistics) << "the reported statistics must not change";
            EXPECT_EQ(after.held_bytes, before.held_bytes);
            EXPECT_EQ(after.held_blocks, before.held_blocks);
            EXPECT_EQ(after.requests, before.requests);
        } else if (GetParam().leaves_no_trace) {
            EXPECT_GE(after.held_bytes, before.held_bytes) << "a chunk of a burst may stay";
        }
    }

    void compare_remaining_steps(run& failing, run& control, std::size_t tested, bool exactly) const {
        for (std::size_t i = tested + 1; i != std::size(script); ++i) {
            EXPECT_EQ(failing.take(script[i]), control.take(script[i])) << "step " << i;
            if (exactly || (script[i].kind == step_kind::release && GetParam().leaves_no_trace)) {
                EXPECT_EQ(failing.source.outstanding_bytes(), control.source.outstanding_bytes())
                    << "step " << i;
            }
        }
        if (exactly) {
            EXPECT_EQ(failing.source.granted(), control.source.granted()) << "the same requests";
        }
    }
};

TEST_P(operations, leave_no_trace_when_the_upstream_fails) {
    std::size_t failures = 0;
    for (const bool for_ever : {false, true}) {
        for (std::size_t tested = 0; tested != std::size(script); ++tested) {
            if (!thorough && (tested % 2 == 0) == for_ever) {
                continue;
            }
            for (std::size_t at = 1; thorough || at <= in_a_long_burst; at = next_request(at)) {
                SCOPED_TRACE(::testing::Message() << "step " << tested << ", request " << at
                                                  << (for_ever ? " and all after it" : ""));
                if (!fail(tested, {.at = at, .for_ever = for_ever})) {
                    break;
                }
                ++failures;
                if (HasFailure()) {
                    return;
                }
            }
        }
    }
    EXPECT_GE(failures, 3U) << "of too few requests";
}

INSTANTIATE_TEST_SUITE_P(of, operations, ::testing::ValuesIn(model::kinds_if(is_typical)), test_name);

}} // namespace contract

#endif
