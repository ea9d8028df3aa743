// Custom upstreams that hand out the lowest or highest addresses of a process, with each chunk adjacent to the previous
// one. No comparison, merge or rounding of addresses overflows.
#include "contract/every_allocator.hpp"

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
#include <memory_resource>
#include <random>
#include <string>
#include <tuple>
#include <utility>

namespace contract {

namespace {

enum class where { lowest, highest };
enum class direction { upwards, downwards };

/// A window of addresses from which chunks are cut without gaps. Deallocated chunks are not reused.
class window final : public std::pmr::memory_resource {
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
    [[nodiscard]] std::size_t outstanding() const { return taken_.size(); }
    [[nodiscard]] std::size_t complaints() const { return complaints_; }

private:
    void* do_allocate(std::size_t wanted, std::size_t alignment) override {
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

    void do_deallocate(void* p, std::size_t freed_bytes, std::size_t alignment) override {
        const auto entry = taken_.find(static_cast<std::byte*>(p));
        if (entry == taken_.end() || entry->second != std::pair(freed_bytes, alignment)) {
            ++complaints_;
            return;
        }
        taken_.erase(entry);
        mallard::core::unpoison(p, freed_bytes);
        std::memset(p, 0xDD, freed_bytes);
    }

    [[nodiscard]] bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
        return this == &other;
    }

    direction going_;
    std::byte* begin_ = nullptr;
    std::byte* low_ = nullptr;
    std::byte* high_ = nullptr;
    std::map<std::byte*, std::pair<std::size_t, std::size_t>> taken_;
    std::size_t complaints_ = 0;
};

/// Live blocks, each with its number in every byte.
class numbered_blocks {
public:
    explicit numbered_blocks(allocator_interface& a) : allocator_(a) {}

    void add(std::size_t bytes, std::size_t alignment) {
        auto* const p = static_cast<std::byte*>(allocator_.allocate(bytes, alignment));
        ASSERT_TRUE(mallard::core::is_aligned(p, alignment));
        const auto above = living_.lower_bound(p);
        ASSERT_TRUE(above == living_.end() || p + bytes <= above->first);
        ASSERT_TRUE(above == living_.begin() ||
                    std::prev(above)->first + std::prev(above)->second.bytes <= p);
        living_.emplace(p, block{bytes, alignment, ++number_});
        std::memset(p, static_cast<int>(number_ % 251), bytes);
    }

    void remove(std::size_t index) {
        const auto victim = std::next(living_.begin(), static_cast<std::ptrdiff_t>(index % living_.size()));
        const block& victim_block = victim->second;
        ASSERT_TRUE(std::all_of(victim->first, victim->first + victim_block.bytes, [&](std::byte b) {
            return b == static_cast<std::byte>(victim_block.number % 251);
        }));
        allocator_.deallocate(victim->first, victim_block.bytes, victim_block.alignment);
        living_.erase(victim);
    }

    [[nodiscard]] std::size_t count() const { return living_.size(); }
    void forget() { living_.clear(); }

private:
    struct block {
        std::size_t bytes;
        std::size_t alignment;
        std::size_t number;
    };

    allocator_interface& allocator_;
    std::map<std::byte*, block> living_;
    std::size_t number_ = 0;
};

class addresses : public ::testing::TestWithParam<std::tuple<where, direction, allocator_row>> {};

TEST_P(addresses, may_be_any) {
    const auto& [place, going, row] = GetParam();
    window source(place, going);
    if (place == where::lowest) {
        ASSERT_LT(source.begin(), std::uintptr_t{1} << 32) << "there are no low addresses";
    } else {
        ASSERT_GT(source.begin(), std::uintptr_t{1} << 46) << "there are no high addresses";
    }
    const auto subject = row.make(source);
    // The blocks of a pool of one size are as large as the first.
    static_cast<void>(subject->allocate(300, 64));
    numbered_blocks blocks(*subject);
    std::mt19937 random(1);
    for (int round = 0; round != 2; ++round) {
        for (int i = 0; i != 1500 && !HasFatalFailure(); ++i) {
            if (random() % 3 != 0 || blocks.count() == 0) {
                blocks.add(1 + random() % 300, std::size_t{1} << random() % 7);
            } else {
                blocks.remove(random());
            }
        }
        mallard::block_chain chain = subject->allocate_many(48, 8, 2000);
        subject->deallocate_many(std::move(chain), 48, 8);
        while (round == 0 && blocks.count() != 0 && !HasFatalFailure()) {
            blocks.remove(random());
        }
        subject->trim();
    }
    blocks.forget();
    subject->release();
    EXPECT_EQ(source.outstanding(), 0U);
    EXPECT_EQ(source.complaints(), 0U);
}

std::string name_of_place(const ::testing::TestParamInfo<addresses::ParamType>& of) {
    const auto& [place, going, row] = of.param;
    return row.name + (place == where::lowest ? "_lowest" : "_highest") +
           (going == direction::upwards ? "_upwards" : "_downwards");
}

INSTANTIATE_TEST_SUITE_P(of, addresses,
                         ::testing::Combine(::testing::Values(where::lowest, where::highest),
                                            ::testing::Values(direction::upwards, direction::downwards),
                                            ::testing::ValuesIn(every_allocator())),
                         name_of_place);

} // namespace

} // namespace contract
