// Custom upstreams that hand out the lowest or highest addresses of a process, with each chunk adjacent to the previous
// one. No comparison, merge or rounding of addresses overflows.
#include "contract/kind_test.hpp"

#include <mallard/core/alignment.hpp>
#include <mallard/core/failure.hpp>
#include <mallard/core/sanitizer.hpp>

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <tuple>
#include <utility>

namespace contract { namespace {

enum class where { lowest, highest };
enum class direction { upwards, downwards };

/// A window of addresses from which chunks are cut without gaps. Deallocated chunks are not reused.
class window final : public equipment::ledger {
public:
    static constexpr std::size_t bytes = std::size_t{48} << 20;

    window(where place, direction going) : going_(going) {
        // The lowest address that a process may have is 2^16, the highest below 2^47; addresses in use are skipped.
        constexpr std::uintptr_t step = std::uintptr_t{1} << 16;
        constexpr std::uintptr_t top = std::uintptr_t{1} << 47;
        std::uintptr_t at = place == where::lowest ? step : top - step - bytes;
        for (int tries = 0; begin_ == nullptr && tries != 1 << 16; ++tries) {
            void* const got = mmap(reinterpret_cast<void*>(at), bytes, PROT_READ | PROT_WRITE,
                                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
            if (got != MAP_FAILED) {
                begin_ = static_cast<std::byte*>(got);
            }
            at = place == where::lowest ? at + step : at - step;
        }
        low_ = begin_;
        high_ = begin_ + bytes;
    }

    ~window() override {
        if (begin_ != nullptr) {
            mallard::core::unpoison(begin_, bytes);
            munmap(begin_, bytes);
        }
    }

    [[nodiscard]] std::uintptr_t begin() const { return reinterpret_cast<std::uintptr_t>(begin_); }
    [[nodiscard]] std::size_t held_chunks() const { return taken_.size(); }
    [[nodiscard]] std::size_t wrong_returns() const { return wrong_returns_; }

    void* allocate(std::size_t wanted, std::size_t alignment) override {
        const auto room = static_cast<std::size_t>(high_ - low_);
        std::byte* p = nullptr;
        if (going_ == direction::upwards) {
            const std::size_t padding = mallard::core::padding_to(low_, alignment);
            if (padding > room || wanted > room - padding) {
                mallard::core::fail_allocation(wanted, alignment);
            }
            p = low_ + padding;
            low_ = p + wanted;
        } else {
            const std::size_t padding =
                reinterpret_cast<std::uintptr_t>(high_ - std::min(wanted, room)) & (alignment - 1);
            if (wanted > room || padding > room - wanted) {
                mallard::core::fail_allocation(wanted, alignment);
            }
            p = high_ - wanted - padding;
            high_ = p;
        }
        std::memset(p, 0xA5, wanted);
        taken_.emplace(p, std::pair(wanted, alignment));
        return p;
    }

    void deallocate(void* p, std::size_t freed_bytes, std::size_t alignment) noexcept override {
        const auto entry = taken_.find(static_cast<std::byte*>(p));
        if (entry == taken_.end() || entry->second != std::pair(freed_bytes, alignment)) {
            ++wrong_returns_;
            return;
        }
        taken_.erase(entry);
        mallard::core::unpoison(p, freed_bytes);
        std::memset(p, 0xDD, freed_bytes);
    }

private:
    direction going_;
    std::byte* begin_ = nullptr;
    std::byte* low_ = nullptr;
    std::byte* high_ = nullptr;
    std::map<std::byte*, std::pair<std::size_t, std::size_t>> taken_;
    std::size_t wrong_returns_ = 0;
};

class addresses : public ::testing::TestWithParam<std::tuple<where, direction, kind>> {};

TEST_P(addresses, may_be_any) {
    const auto& [place, going, k] = GetParam();
    window source(place, going);
    if (place == where::lowest) {
        ASSERT_LT(source.begin(), std::uintptr_t{1} << 32) << "there are no low addresses";
    } else {
        ASSERT_GT(source.begin(), std::uintptr_t{1} << 46) << "there are no high addresses";
    }
    const auto subject = k.make(source);
    // The blocks of a pool of one size are as large as the first.
    static_cast<void>(subject->allocate(300, 64));
    model::shadow blocks;
    const auto deallocate = [&](std::size_t i) {
        const model::block b = blocks[i];
        ASSERT_STREQ(blocks.remove(i), nullptr);
        subject->deallocate(b.p, b.bytes, b.alignment);
    };
    std::mt19937 random(1);
    for (int round = 0; round != 2; ++round) {
        for (int i = 0; i != 1500 && !HasFatalFailure(); ++i) {
            if (random() % 3 != 0 || blocks.empty()) {
                const std::size_t bytes = 1 + random() % 300;
                const std::size_t alignment = std::size_t{1} << random() % 7;
                ASSERT_STREQ(blocks.add(subject->allocate(bytes, alignment), bytes, alignment), nullptr);
            } else {
                deallocate(random() % blocks.size());
            }
        }
        mallard::block_chain chain = subject->allocate_many(48, 8, 2000);
        subject->deallocate_many(std::move(chain), 48, 8);
        while (round == 0 && !blocks.empty() && !HasFatalFailure()) {
            deallocate(random() % blocks.size());
        }
        subject->trim();
    }
    blocks.clear();
    subject->release();
    EXPECT_EQ(source.held_chunks(), 0U);
    EXPECT_EQ(source.wrong_returns(), 0U);
}

std::string name_of_place(const ::testing::TestParamInfo<addresses::ParamType>& of) {
    const auto& [place, going, k] = of.param;
    return model::test_name(k) + (place == where::lowest ? "_lowest" : "_highest") +
           (going == direction::upwards ? "_upwards" : "_downwards");
}

INSTANTIATE_TEST_SUITE_P(of, addresses,
                         ::testing::Combine(::testing::Values(where::lowest, where::highest),
                                            ::testing::Values(direction::upwards, direction::downwards),
                                            ::testing::ValuesIn(model::kinds_if(is_typical))),
                         name_of_place);

}} // namespace contract
