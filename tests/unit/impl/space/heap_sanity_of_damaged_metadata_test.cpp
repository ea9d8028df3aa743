/// The metadata of a heap were overwritten. A walk over them reports it, or finds nothing; it neither reads memory outside
/// the heap nor goes on for ever.
#include "equipment/heaps.hpp"

#include <mallard/core/alignment.hpp>
#include <mallard/core/sanitizer.hpp>
#include <mallard/impl/space/heap_block.hpp>
#include <mallard/impl/space/heap_sanity.hpp>
#include <mallard/local/heap.hpp>
#include <mallard/local/region_heap.hpp>
#include <mallard/upstream/pages.hpp>

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <random>
#include <span>
#include <type_traits>
#include <vector>

namespace {

using mallard::heap_sanity;

/// Memory between two pages that must not be accessed.
class between_guards {
public:
    explicit between_guards(std::size_t bytes)
        : bytes_(mallard::core::align_up(bytes, mallard::pages::page_bytes())) {
        const std::size_t guard = mallard::pages::page_bytes();
        void* const all = mmap(nullptr, bytes_ + 2 * guard, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (all == MAP_FAILED) {
            std::abort();
        }
        begin_ = static_cast<std::byte*>(all) + guard;
        if (mprotect(begin_, bytes_, PROT_READ | PROT_WRITE) != 0) {
            std::abort();
        }
    }
    between_guards(const between_guards&) = delete;
    between_guards& operator=(const between_guards&) = delete;
    ~between_guards() {
        mallard::core::unpoison(begin_, bytes_);
        munmap(begin_ - mallard::pages::page_bytes(), bytes_ + 2 * mallard::pages::page_bytes());
    }

    [[nodiscard]] std::span<std::byte> memory() const { return {begin_, bytes_}; }

private:
    std::size_t bytes_;
    std::byte* begin_ = nullptr;
};

/// An upstream whose chunks lie between guards each.
class guarded_chunks {
public:
    [[nodiscard]] void* allocate(std::size_t bytes, std::size_t) {
        chunks_.push_back(std::make_unique<between_guards>(bytes));
        const std::span<std::byte> memory = chunks_.back()->memory();
        return memory.data() + memory.size() - mallard::core::align_up(bytes, 16);
    }
    static void deallocate(void*, std::size_t, std::size_t) noexcept {}

    [[nodiscard]] const std::vector<std::unique_ptr<between_guards>>& chunks() const { return chunks_; }

private:
    std::vector<std::unique_ptr<between_guards>> chunks_;
};

/// Effects: fills a heap with blocks of which every third is free.
template <class Heap>
void use(Heap& heap, std::size_t blocks) {
    std::vector<void*> all;
    for (std::size_t i = 0; i < blocks; ++i) {
        all.push_back(heap.allocate(i * 37 % 300));
    }
    for (std::size_t i = 0; i < blocks; i += 3) {
        heap.deallocate(all[i]);
    }
}

/// Numbers that are not sizes, some that could be, and addresses in the memory and next to it.
std::vector<std::size_t> damages(std::size_t word, std::byte* at, std::span<std::byte> memory) {
    std::vector<std::size_t> all{0,
                                 1,
                                 8,
                                 16,
                                 32,
                                 48,
                                 4096,
                                 4097,
                                 SIZE_MAX,
                                 SIZE_MAX - 15,
                                 std::size_t{1} << 63,
                                 std::size_t{0x4141414141414141},
                                 ~word,
                                 word + 1,
                                 word - 16,
                                 word + 16,
                                 word + 32,
                                 word * 2};
    for (unsigned bit = 0; bit < 64; bit += 3) {
        all.push_back(word ^ std::size_t{1} << bit);
    }
    const auto address = reinterpret_cast<std::uintptr_t>(at);
    const auto begin = reinterpret_cast<std::uintptr_t>(memory.data());
    for (const std::uintptr_t to :
         {begin, begin + 8, begin - 8, begin + memory.size(), begin + memory.size() - 8,
          begin + memory.size() - 24, begin + 3000, begin + 3008, address, address - 32}) {
        all.push_back(to);           // for links that are addresses
        all.push_back(to - address); // for those that are distances
    }
    return all;
}

/// Words are damaged in every way by a thorough build, and by the others in every fourth one, in turn.
constexpr std::size_t ways_apart = MALLARD_THOROUGH ? 1 : 4;

/// Effects: overwrites each word of the memory in turn, looks, and restores it.
template <class Heap>
void damage_words(const Heap& heap, std::span<std::byte> memory, auto&& expect) {
    for (std::size_t offset = 0; offset != memory.size(); offset += sizeof(std::size_t)) {
        std::byte* const at = memory.data() + offset;
        const std::size_t original = mallard::space::read_word(at);
        const std::vector<std::size_t> words = damages(original, at, memory);
        for (std::size_t i = offset / sizeof(std::size_t) % ways_apart; i < words.size(); i += ways_apart) {
            mallard::space::write_word(at, words[i]);
            expect(offset, original ^ words[i], heap.check_sanity());
            static_cast<void>(heap.use());
        }
        mallard::space::write_word(at, original);
    }
    EXPECT_EQ(equipment::find_defect(heap), "");
}

template <class Heap>
void damage_some_words(const Heap& heap, std::span<std::byte> memory, unsigned seed) {
    std::mt19937_64 random(seed);
    const std::vector<std::byte> snapshot = [&] {
        mallard::core::unpoison(memory.data(), memory.size());
        return std::vector<std::byte>(memory.begin(), memory.end());
    }();
    for (int round = 0; round != 4000 / static_cast<int>(ways_apart); ++round) {
        for (std::size_t words = 1 + random() % 6; words != 0; --words) {
            std::byte* const at = memory.data() + random() % (memory.size() / 8) * 8;
            const auto all = damages(mallard::space::read_word(at), at, memory);
            mallard::space::write_word(at, all[random() % all.size()]);
        }
        static_cast<void>(heap.check_sanity());
        static_cast<void>(heap.use());
        if (round % 4 == 0) {
            std::copy(snapshot.begin(), snapshot.end(), memory.begin());
        }
    }
    std::copy(snapshot.begin(), snapshot.end(), memory.begin());
}

template <class Heap>
class damaged_region : public ::testing::Test {
protected:
    damaged_region() { use(heap_, 30); }

    between_guards environment_{16384};
    Heap& heap_ = Heap::create_in(environment_.memory());
};

using regions = ::testing::Types<mallard::region_heap>;
TYPED_TEST_SUITE(damaged_region, regions);

TYPED_TEST(damaged_region, detects_any_overwritten_metadata_word) {
    // Without the last word, a count that may have any small value.
    static constexpr std::size_t metadata = TypeParam::least_region_bytes() - 56;
    damage_words(this->heap_, this->environment_.memory(),
                 [](std::size_t offset, std::size_t changed, const heap_sanity& sanity) {
                     // Half of the word behind the five of the region is not used.
                     const std::size_t used = offset == 40 ? changed & 0xFFFFFFFF : changed;
                     if (offset < metadata && used != 0) {
                         EXPECT_FALSE(sanity.sound()) << offset << " by " << changed;
                     }
                 });
}

TYPED_TEST(damaged_region, is_looked_at_where_much_was_overwritten) {
    damage_some_words(this->heap_, this->environment_.memory(), 1);
}

TYPED_TEST(damaged_region, reports_wrong_region_length) {
    std::byte* const begin = this->environment_.memory().data();
    std::size_t visits = 0;
    for (std::size_t offset = 0; offset != TypeParam::least_region_bytes(); offset += 8) {
        if (mallard::space::read_word(begin + offset) == this->heap_.region_bytes()) {
            mallard::space::write_word(begin + offset, std::size_t{1} << 40);
            EXPECT_STREQ(this->heap_.check_sanity().defect, "the length of the region is damaged");
            mallard::space::write_word(begin + offset, 16384);
            ++visits;
        }
    }
    EXPECT_EQ(visits, 1U);
}

struct in_guarded_chunks {
    guarded_chunks source{};
    mallard::heap<guarded_chunks> heap{
        source, {.growth = {.first_chunk_bytes = 4096, .largest_chunk_bytes = 4096, .factor = 2}}};
};

template <class Environment>
class damaged_chunks : public ::testing::Test {
protected:
    damaged_chunks() { use(environment_.heap, 60); }

    Environment environment_;
};

using environments = ::testing::Types<in_guarded_chunks>;
TYPED_TEST_SUITE(damaged_chunks, environments);

TYPED_TEST(damaged_chunks, are_looked_at_and_no_more) {
    ASSERT_GE(this->environment_.source.chunks().size(), 2U);
    for (const auto& chunk : this->environment_.source.chunks()) {
        damage_words(this->environment_.heap, chunk->memory(),
                     [](std::size_t offset, std::size_t changed, const heap_sanity& sanity) {
                         if (offset < 24 && changed != 0) {
                             EXPECT_STREQ(sanity.defect, "the head of a chunk is damaged") << offset;
                         }
                     });
        damage_some_words(this->environment_.heap, chunk->memory(), 2);
    }
}

/// Links of the lists in the heap itself, which no chunk holds: they lie behind the table of the chunks.
TYPED_TEST(damaged_chunks, are_looked_at_where_the_lists_are_damaged) {
    auto& heap = this->environment_.heap;
    using lists = mallard::space::segregated_fit<mallard::space::absolute_links>;
    using quick = mallard::space::quick_lists<mallard::space::absolute_links>;
    using rooms = mallard::space::chunk_rooms<guarded_chunks, false>;
    const std::span<std::byte> in_the_heap(reinterpret_cast<std::byte*>(&heap) + sizeof(rooms),
                                           sizeof(lists) + 16 + sizeof(quick) - 8);
    damage_words(heap, in_the_heap, [](std::size_t offset, std::size_t changed, const heap_sanity& sanity) {
        if ((offset == 0 ? changed & 0xFFFFFFFF : changed) != 0) {
            EXPECT_FALSE(sanity.sound()) << offset << " by " << changed;
        }
    });
}

/// The words in front of large blocks.
TEST(damaged_ranges, are_looked_at_and_no_more) {
    mallard::heap<> heap;
    std::vector<std::byte*> large;
    for (int i = 0; i < 3; ++i) {
        large.push_back(static_cast<std::byte*>(heap.allocate(300000)));
    }
    for (std::byte* const p : large) {
        damage_words(heap, std::span(p - 64, 64),
                     [&](std::size_t offset, std::size_t changed, const heap_sanity& sanity) {
                         if (offset != 40 && changed != 0) { // which is not used
                             EXPECT_FALSE(sanity.sound()) << offset << " by " << changed;
                             EXPECT_EQ(sanity.block, p) << offset;
                         }
                     });
    }
}

} // namespace
