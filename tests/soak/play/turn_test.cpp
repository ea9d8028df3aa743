// A turn finds no fault in a right allocator, with threads too, and finds the fault of each of these wrong ones.
#include "equipment/ledger.hpp"
#include "soak/kinds/add_kinds.hpp"
#include "soak/play/subject.hpp"
#include "soak/play/turn.hpp"

#include <mallard/core/alignment.hpp>

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

template <class Recipe, template <class> class Adaptor = contract::none>
soak::kind kind_of(soak::bounds most = {}) {
    return {"allocator", "adaptor", "binding", most, [](equipment::ledger& source) {
                return std::unique_ptr<soak::subject>(
                    std::make_unique<soak::recipe_subject<Recipe, Adaptor, contract::direct>>(source));
            }};
}

void expect_right(const soak::kind& k) {
    for (std::uint64_t seed = 1; seed != 7; ++seed) {
        const soak::outcome done = soak::play_turn(k, seed, 5000);
        EXPECT_EQ(done.fault, "") << "seed " << seed;
        EXPECT_EQ(done.operations, 5000U) << "seed " << seed;
    }
}

TEST(soak_turn, finds_nothing_wrong_with_what_rolls_back) {
    expect_right(kind_of<contract::monotonic>({.uses_again = false}));
}

TEST(soak_turn, finds_nothing_wrong_with_what_expands) {
    expect_right(kind_of<contract::heap_of_small_chunks>());
}

TEST(soak_turn, finds_nothing_wrong_with_what_is_checked) {
    expect_right(kind_of<contract::multipool_reusing<mallard::first_freed>, contract::checked>());
}

TEST(soak_turn, finds_nothing_wrong_with_what_has_a_budget) {
    expect_right(kind_of<contract::multipool_reusing<mallard::last_freed>, soak::limited_to_little>(
        {.may_refuse = true}));
}

TEST(soak_turn, finds_nothing_wrong_with_what_threads_share) {
    expect_right(kind_of<contract::concurrent_multipool>());
}

/// The fault of a wrong allocator, once in a hundred requests.
enum class fault : std::uint8_t { overlaps, gives_twice, misaligns, refuses, loses, gives_back_other_bytes };

/// Allocators that give wrong blocks give them from a room of their own, and reuse nothing, so that no sanitizer sees
/// them first. Allocators that give back wrongly do so to the ledger.
template <fault What>
class faulty {
public:
    explicit faulty(equipment::ledger& below) : below_(below) {}

    [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment) {
        const bool wrong = ++requests_ % 100 == 0;
        if (uses_ledger) {
            return below_.allocate(bytes, alignment);
        }
        if ((wrong && What == fault::refuses) || bytes > room_.size() / 2) {
            throw std::bad_alloc();
        }
        std::size_t begin = mallard::core::align_up(end_, alignment);
        if (wrong && What == fault::overlaps && alignment == 1) {
            begin -= std::min<std::size_t>(begin, 2);
        } else if (wrong && What == fault::gives_twice) {
            begin = last_;
        } else if (wrong && What == fault::misaligns) {
            begin += alignment / 2;
        }
        last_ = begin;
        end_ = begin + bytes + 1;
        return room_.subspan(begin, bytes).data();
    }

    void deallocate(void* p, std::size_t bytes, std::size_t alignment) noexcept {
        const bool wrong = ++requests_ % 100 == 0;
        if (uses_ledger && !(wrong && What == fault::loses)) {
            below_.deallocate(p, bytes + (wrong ? 1 : 0), alignment);
        }
    }

private:
    static constexpr bool uses_ledger = What == fault::loses || What == fault::gives_back_other_bytes;

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

template <fault What>
struct faulty_recipe {
    explicit faulty_recipe(equipment::ledger& source) : top(source) {}
    void release_below() noexcept {}
    faulty<What> top;
};

template <fault What>
std::string first_fault(std::size_t alignment = 4096) {
    const soak::kind k = kind_of<faulty_recipe<What>>({.bytes = 200, .alignment = alignment});
    for (std::uint64_t seed = 1; seed != 10; ++seed) {
        if (std::string found = soak::play_turn(k, seed, 4000).fault; !found.empty()) {
            return found;
        }
    }
    return "nothing";
}

bool tells(const std::string& found, const std::string& what) {
    return found.find(what) != std::string::npos;
}

TEST(soak_turn, finds_blocks_that_overlap) {
    EXPECT_PRED2(tells, first_fault<fault::overlaps>(1), "a block whose bytes changed");
    EXPECT_PRED2(tells, first_fault<fault::gives_twice>(8), "a block whose bytes changed");
}

TEST(soak_turn, finds_what_is_misaligned_or_refused) {
    EXPECT_PRED2(tells, first_fault<fault::misaligns>(), "a misaligned block");
    EXPECT_PRED2(tells, first_fault<fault::refuses>(), "refused, with memory left");
}

TEST(soak_turn, finds_what_is_lost_or_given_back_otherwise) {
    EXPECT_PRED2(tells, first_fault<fault::loses>(), "did not come back");
    EXPECT_PRED2(tells, first_fault<fault::gives_back_other_bytes>(), "given back as");
}

} // namespace
