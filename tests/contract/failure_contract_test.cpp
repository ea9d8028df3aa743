// The contract of a request that finds no memory: the failure is reported, nothing leaks, and the allocator stays usable.
#include "contract/kind_test.hpp"
#include "equipment/out_of_memory.hpp"

#include <cstdint>
#include <vector>

namespace contract {

namespace {

/// Sizes beyond any address space, among them sizes that overflow when they are rounded up.
const std::size_t impossible_sizes[] = {
    SIZE_MAX,     SIZE_MAX - 1,     SIZE_MAX - 7, SIZE_MAX - 15,    SIZE_MAX - 16,    SIZE_MAX - 4095,
    SIZE_MAX / 2, SIZE_MAX / 2 + 1, PTRDIFF_MAX,  PTRDIFF_MAX - 31, PTRDIFF_MAX - 64, SIZE_MAX - 4096,
};

std::size_t handler_calls = 0;

} // namespace

TEST_P(failure_contract, refuses_impossible_sizes) {
    allocate(24, 8);
    const std::size_t before = source_.outstanding_bytes();
    const std::size_t alignments_to = std::size_t{4096};
    for (std::size_t alignment = 1; alignment <= alignments_to; alignment *= 16) {
        for (const std::size_t bytes : impossible_sizes) {
            EXPECT_OUT_OF_MEMORY(static_cast<void>(subject_->allocate(bytes, alignment)))
                << bytes << " at " << alignment;
        }
    }
    EXPECT_EQ(source_.outstanding_bytes(), before) << "a failed request must not keep memory";
    allocate(24, 8);
    allocate(4000, 64);
}

TEST_P(failure_contract, try_allocate_refuses_impossible_sizes) {
    if (!subject_->able().tries) {
        EXPECT_EQ(GetParam().binding, "expandable") << "every other allocator has it";
        return;
    }
    handler_calls = 0;
    mallard::set_out_of_memory_handler([](std::size_t, std::size_t) noexcept { ++handler_calls; });
    allocate(24, 8);
    const std::size_t before = source_.outstanding_bytes();
    for (std::size_t alignment = 1; alignment <= 4096; alignment *= 16) {
        for (const std::size_t bytes : impossible_sizes) {
            EXPECT_EQ(subject_->try_allocate(bytes, alignment), nullptr) << bytes << " at " << alignment;
        }
    }
    EXPECT_EQ(source_.outstanding_bytes(), before) << "a failed request must not keep memory";
    EXPECT_EQ(handler_calls, 0U) << "a quiet failure is no news";
    mallard::set_out_of_memory_handler(nullptr);
    allocate(4000, 64);
}

#ifdef __cpp_exceptions

namespace {

/// A program that allocates and deallocates, and skips blocks whose allocation failed.
class program {
public:
    explicit program(model::subject& s, bool quiet) : subject_(s), quiet_(quiet) {}

    /// Returns: the number of requests that failed.
    std::size_t run() {
        std::size_t failures = 0;
        for (std::size_t i = 0; i < 32; ++i) {
            const std::size_t alignment = i % 7 == 0 ? 128 : 8;
            const std::size_t bytes = i % 13 == 0 ? 40000 + i : 1 + i * i * 3;
            failures += try_to_allocate(bytes, alignment) ? 0U : 1U;
            if (i % 3 == 2) {
                deallocate(addresses_[addresses_.size() - 2]);
            }
        }
        EXPECT_STREQ(shadow_.look_at_all(), nullptr);
        return failures;
    }

    void forget() {
        shadow_.clear();
        addresses_.clear();
    }

private:
    bool try_to_allocate(std::size_t bytes, std::size_t alignment) {
        addresses_.push_back(nullptr);
        try {
            void* p = quiet_ ? subject_.try_allocate(bytes, alignment) : subject_.allocate(bytes, alignment);
            if (quiet_ && p == nullptr) {
                return false;
            }
            EXPECT_STREQ(shadow_.add(p, bytes, alignment), nullptr) << bytes << " at " << alignment;
            addresses_.back() = p;
            return true;
        } catch (const std::bad_alloc&) {
            return false;
        }
    }

    void deallocate(const void* p) {
        for (std::size_t i = 0; p != nullptr && i != shadow_.size(); ++i) {
            if (const model::block b = shadow_[i]; b.p == p) {
                EXPECT_STREQ(shadow_.remove(i), nullptr);
                return subject_.deallocate(b.p, b.bytes, b.alignment);
            }
        }
    }

    model::subject& subject_;
    bool quiet_;
    model::shadow shadow_;
    std::vector<void*> addresses_; ///< of all requests in their order; null if one failed
};

/// Lets the k-th request of the upstream fail, for every k up to the last request.
void fail_at_every_request(const kind& k, bool for_ever, bool quiet) {
    std::size_t at = 1;
    for (bool failed = true; failed; ++at) {
        equipment::ledger source;
        const auto subject = k.make(source);
        program p(*subject, quiet);
        source.fail({.at = at, .for_ever = for_ever});
        const std::size_t failures = p.run();
        failed = source.failed();
        if (k.adaptor == "checked" || !for_ever || k.has_other_memory) {
            // A smaller chunk may have served the request.
            EXPECT_TRUE(failed || failures == 0) << "request " << at;
        } else {
            EXPECT_EQ(failures != 0, failed)
                << "request " << at << ": a failure must be reported to the caller";
        }

        source.fail({.at = 0});
        EXPECT_EQ(p.run(), 0U) << "after request " << at << " failed: memory is available again";
        p.forget();
        subject->release();
        ASSERT_EQ(source.outstanding(), 0U) << "after request " << at << " failed";
        ASSERT_EQ(source.complaints(), equipment::no_complaints);
        ASSERT_LT(at, 1000U) << "the program must reach a run without failures";
    }
    EXPECT_GE(at, 4U) << "the program made too few requests to test anything";
}

} // namespace

TEST_P(failure_contract, survives_any_one_failure) {
    fail_at_every_request(GetParam(), false, false);
}

TEST_P(failure_contract, survives_failures_without_end) {
    fail_at_every_request(GetParam(), true, false);
}

TEST_P(failure_contract, try_allocate_survives_any_failure) {
    if (subject_->able().tries) {
        fail_at_every_request(GetParam(), false, true);
        fail_at_every_request(GetParam(), true, true);
    }
}

#else

TEST_P(failure_contract, try_allocate_serves_from_held_memory) {
    allocate(24, 8);
    const std::size_t chunks = source_.granted().size();
    source_.fail({.at = 1, .for_ever = true});
    if (subject_->able().tries) {
        while (void* const p = subject_->try_allocate(24, 8)) {
            EXPECT_STREQ(shadow_.add(p, 24, 8), nullptr);
        }
    }
    source_.fail({.at = 0});
    EXPECT_EQ(source_.granted().size(), chunks);
}

TEST_P(failure_contract, calls_the_handler_before_aborting) {
    mallard::set_out_of_memory_handler([](std::size_t bytes, std::size_t) noexcept {
        std::fprintf(stderr, "the handler heard of %zu bytes\n", bytes);
    });
    source_.fail({.at = 1, .for_ever = true});
    EXPECT_DEATH(static_cast<void>(subject_->allocate(100000, 8)),
                 "the handler heard of 1[0-9]{5} bytes\nmallard: out of memory: 1[0-9]{5} bytes");
    mallard::set_out_of_memory_handler(nullptr);
}

#endif

} // namespace contract
