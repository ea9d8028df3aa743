// A turn accepts correct allocators, with threads too, and finds the fault of each faulty allocator.
#include "equipment/ledger.hpp"
#include "model/bound_subject.hpp"
#include "model/turn.hpp"

#include <mallard/core/alignment.hpp>
#include <mallard/core/stats.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <vector>

namespace {

template <class Recipe, template <class> class Adaptor = model::none>
model::kind make_kind(model::bounds most = {}) {
    return {{}, "allocator", "adaptor", "binding", most, model::make_adapted<Recipe, Adaptor>};
}

void expect_right(const model::kind& k) {
    for (std::uint64_t seed = 1; seed != 7; ++seed) {
        const model::outcome done = model::play_turn(k, seed, 5000);
        EXPECT_EQ(done.fault, "") << "seed " << seed;
        EXPECT_EQ(done.operations, 5000U) << "seed " << seed;
    }
}

TEST(soak_turn, accepts_allocators_that_roll_back) {
    expect_right(make_kind<model::monotonic>({.uses_again = false}));
}

TEST(soak_turn, accepts_allocators_that_expand) {
    expect_right(make_kind<model::heap_of_small_chunks>());
}

TEST(soak_turn, accepts_checked_allocators) {
    expect_right(make_kind<model::multipool_reusing<mallard::hybrid_order>, model::checked>());
}

TEST(soak_turn, accepts_limited_allocators) {
    expect_right(make_kind<model::multipool_reusing<mallard::last_freed>, model::limited_to_little>(
        {.may_refuse = true}));
}

TEST(soak_turn, accepts_allocators_shared_by_threads) {
    expect_right(make_kind<model::concurrent_multipool>());
}

/// The fault of a wrong allocator, once in a hundred requests.
enum class fault : std::uint8_t { overlaps, gives_twice, misaligns, refuses, loses, wrong_size };

/// Faulty allocations use a private buffer without reuse, so that no sanitizer reports them first. Faulty deallocations go
/// to the ledger.
template <fault Fault>
class faulty {
public:
    explicit faulty(equipment::ledger& below) : below_(below) {}

    [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment) {
        const bool wrong = ++requests_ % 100 == 0;
        if (uses_ledger) {
            return below_.allocate(bytes, alignment);
        }
        if ((wrong && Fault == fault::refuses) || bytes > room_.size() / 2) {
            throw std::bad_alloc();
        }
        std::size_t begin = mallard::core::align_up(end_, alignment);
        if (wrong && Fault == fault::overlaps && alignment == 1) {
            begin -= std::min<std::size_t>(begin, 2);
        } else if (wrong && Fault == fault::gives_twice) {
            begin = last_;
        } else if (wrong && Fault == fault::misaligns) {
            begin += alignment / 2;
        }
        last_ = begin;
        end_ = begin + bytes + 1;
        return room_.subspan(begin, bytes).data();
    }

    void deallocate(void* p, std::size_t bytes, std::size_t alignment) noexcept {
        const bool wrong = ++requests_ % 100 == 0;
        if (uses_ledger && !(wrong && Fault == fault::loses)) {
            below_.deallocate(p, bytes + (wrong ? 1 : 0), alignment);
        }
    }

    /// The chunks are the ledger's, whatever is wrong with the blocks.
    [[nodiscard]] mallard::allocator_stats stats() const noexcept {
        return {.chunks = below_.outstanding(),
                .chunk_bytes = below_.outstanding_bytes(),
                .upstream_calls = below_.granted().size()};
    }

private:
    static constexpr bool uses_ledger = Fault == fault::loses || Fault == fault::wrong_size;

    struct alignas(4096) page {
        std::byte bytes[4096];
    };

    equipment::ledger& below_;
    std::vector<page> pages_{1024};
    std::span<std::byte> room_{pages_.front().bytes, pages_.size() * sizeof(page)};
    std::size_t last_ = 0;
    std::size_t end_ = 0;
    std::size_t requests_ = 0;
};

template <fault Fault>
struct faulty_recipe {
    explicit faulty_recipe(equipment::ledger& source) : top(source) {}
    void release_below() noexcept {}
    faulty<Fault> top;
};

/// Returns: the first fault that contains the words.
template <fault Fault>
std::string first_fault(std::size_t alignment = 4096, const std::string& words = "") {
    const model::kind k = make_kind<faulty_recipe<Fault>>({.bytes = 200, .alignment = alignment});
    for (std::uint64_t seed = 1; seed != 10; ++seed) {
        std::string message = model::play_turn(k, seed, 4000).fault;
        if (!message.empty() && message.find(words) != std::string::npos) {
            return message;
        }
    }
    return "nothing";
}

bool contains(const std::string& message, const std::string& words) {
    return message.find(words) != std::string::npos;
}

TEST(soak_turn, finds_blocks_that_overlap) {
    const std::string changed = "bytes that changed in a live block";
    EXPECT_PRED2(contains, first_fault<fault::overlaps>(1), changed);
    EXPECT_PRED2(contains, first_fault<fault::gives_twice>(8, changed), changed);
    EXPECT_PRED2(contains, first_fault<fault::gives_twice>(8), "a chain that ends elsewhere");
}

TEST(soak_turn, finds_misaligned_and_refused_blocks) {
    EXPECT_PRED2(contains, first_fault<fault::misaligns>(), "a misaligned block");
    EXPECT_PRED2(contains, first_fault<fault::refuses>(), "refused, with memory left");
}

TEST(soak_turn, finds_lost_and_mismatched_blocks) {
    EXPECT_PRED2(contains, first_fault<fault::loses>(), "did not come back");
    EXPECT_PRED2(contains, first_fault<fault::wrong_size>(), "given back as");
}

} // namespace
