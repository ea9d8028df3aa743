// Every size near a power of two, at every alignment: the request is refused, or the block is aligned, writable and
// disjoint from all others. No sum overflows.
#include "contract/kind_test.hpp"

#include <mallard/core/alignment.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <vector>

#ifdef __cpp_exceptions

namespace contract {

namespace {

struct live_block {
    std::byte* p;
    std::size_t bytes;
    std::size_t alignment;
};

/// Alignments whose sums with a size overflow at different sizes.
constexpr unsigned some_alignments_log2[] = {0, 3, 4, 5, 12, 16, 31, 47, 61, 62, 63};

/// The strictest alignment of a type that the typed allocators are instantiated with.
constexpr unsigned most_log2_of_objects = 12;

class sweep {
public:
    sweep(model::subject& s, const equipment::ledger& source) : subject_(s), source_(source) {}

    void ask_for_all_sizes_at(std::size_t alignment) {
        for (unsigned log2 = 0; log2 != 64; ++log2) {
            const std::size_t power = std::size_t{1} << log2;
            for (const std::size_t bytes : {power - 1, power, power + 1}) {
                ask_for(bytes, alignment);
            }
        }
        expect_apart();
        for (const live_block& block : blocks_) {
            subject_.deallocate(block.p, block.bytes, block.alignment);
        }
        blocks_.clear();
    }

    [[nodiscard]] std::size_t served() const { return served_; }

private:
    void ask_for(std::size_t bytes, std::size_t alignment) {
        const std::size_t held_bytes = source_.outstanding_bytes();
        try {
            auto* const p = static_cast<std::byte*>(subject_.allocate(bytes, alignment));
            ASSERT_TRUE(mallard::core::is_aligned(p, alignment)) << bytes << " at " << alignment;
            blocks_.push_back({p, bytes, alignment});
            ++served_;
            ASSERT_LE(bytes, std::size_t{1} << 30) << "beyond the memory of the upstream; at " << alignment;
            if (bytes != 0) {
                p[0] = p[bytes - 1] = tag(blocks_.size() - 1);
            }
        } catch (const std::bad_alloc&) {
            ASSERT_LE(source_.outstanding_bytes(), held_bytes) << bytes << " at " << alignment;
        }
    }

    void expect_apart() {
        for (std::size_t i = 0; i != blocks_.size(); ++i) {
            const live_block& block = blocks_[i];
            if (block.bytes != 0) {
                ASSERT_EQ(block.p[0], tag(i)) << block.bytes << " at " << block.alignment;
                ASSERT_EQ(block.p[block.bytes - 1], tag(i)) << block.bytes << " at " << block.alignment;
            }
        }
        std::vector<live_block> sorted = blocks_;
        std::sort(sorted.begin(), sorted.end(),
                  [](const live_block& a, const live_block& b) { return a.p < b.p; });
        for (std::size_t i = 1; i < sorted.size(); ++i) {
            // Blocks of zero bytes have distinct addresses too.
            ASSERT_LE(sorted[i - 1].p + std::max<std::size_t>(sorted[i - 1].bytes, 1), sorted[i].p);
        }
    }

    static std::byte tag(std::size_t number) { return static_cast<std::byte>(number + 1); }

    model::subject& subject_;
    const equipment::ledger& source_;
    std::vector<live_block> blocks_;
    std::size_t served_ = 0;
};

[[nodiscard]] std::vector<unsigned> alignments_log2(const kind& k) {
    const bool of_objects = k.binding == "type_parameter" || k.binding == "tag" || k.binding == "expandable";
    std::vector<unsigned> all;
    if (k.adaptor == "plain" && k.binding == "direct") {
        for (unsigned log2 = 0; log2 < 64; log2 += MALLARD_THOROUGH ? 1 : 3) {
            all.push_back(log2);
        }
    } else {
        std::copy_if(std::begin(some_alignments_log2), std::end(some_alignments_log2),
                     std::back_inserter(all),
                     [=](unsigned log2) { return !of_objects || log2 <= most_log2_of_objects; });
    }
    return all;
}

} // namespace

TEST_P(failure_contract, serves_or_refuses_all_sizes_and_alignments) {
    source_.refuse_above(std::size_t{1} << 18);
    allocate(24, 8);
    sweep all(*subject_, source_);
    for (const unsigned log2 : alignments_log2(GetParam())) {
        all.ask_for_all_sizes_at(std::size_t{1} << log2);
        ASSERT_FALSE(HasFatalFailure()) << "at 2^" << log2;
        // Growing allocators request ever larger chunks.
        release();
    }
    EXPECT_GE(all.served(), 10U);
    allocate(24, 8);
    allocate(4000, 64);
}

} // namespace contract

#endif
