// The harness finds each kind of broken heap. A fault that it misses here would stay unseen in all heaps.
#include "fuzz/heap_grounds.hpp"
#include "fuzz/heap_operations.hpp"
#include "fuzz/random_bytes.hpp"

#include <mallard/core/sanitizer.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <utility>

namespace fuzz {

namespace {

using right = mallard::heap<equipment::ledger>;

/// Never takes a block back.
struct forgetting : right {
    using right::right;
    void deallocate(void*, std::size_t = 0, std::size_t = 1) noexcept {}
};

/// Claims more bytes for a block than it has.
struct boasting : right {
    using right::right;
    mallard::sized_block allocate_at_least(std::size_t bytes, std::size_t alignment = 16) {
        const auto block = right::allocate_at_least(bytes, alignment);
        mallard::core::unpoison(static_cast<std::byte*>(block.p) + block.bytes, 8);
        return {block.p, block.bytes + 8};
    }
};

/// Knows no alignment above 16.
struct misaligning : right {
    using right::right;
    void* allocate(std::size_t bytes, std::size_t = 16) { return right::allocate(bytes); }
};

/// Gives the contents of a block to others when it grows backward.
struct moving : right {
    using right::right;
    mallard::expansion_result expand(void* p, const mallard::expansion_request& r) {
        const auto result = right::expand(p, r);
        if (result.method == mallard::expansion::backward) {
            static_cast<std::byte*>(p)[0] ^= std::byte{1};
        }
        return result;
    }
};

/// Writes over the word behind a block when it frees one.
struct scribbling : right {
    using right::right;
    void deallocate(void* p, std::size_t = 0, std::size_t = 1) noexcept {
        std::byte* const end = static_cast<std::byte*>(p) + right::usable_bytes(p);
        mallard::space::write_word(end, mallard::space::read_word(end) ^ 64U);
        right::deallocate(p);
    }
};

/// Shrinks blocks to less than it returns.
struct stingy : right {
    using right::right;
    std::size_t shrink(void* p, std::size_t bytes) noexcept { return right::shrink(p, bytes / 2); }
};

/// Refuses a request now and then, although it has the memory.
struct refusing : right {
    using right::right;
    void* try_allocate(std::size_t bytes, std::size_t alignment = 16) noexcept {
        return bytes % 64 == 40 ? nullptr : right::try_allocate(bytes, alignment);
    }
};

/// Loses a block of each burst.
struct losing : right {
    using right::right;
    mallard::block_chain allocate_many(std::size_t bytes, std::size_t alignment, std::size_t count) {
        mallard::block_chain blocks = right::allocate_many(bytes, alignment, count);
        static_cast<void>(blocks.pop_front());
        return blocks;
    }
    using right::allocate_many;
};

constexpr std::uint64_t seeds = MALLARD_FULL_PRODUCT ? 49 : 12;

template <class Heap>
std::string what_is_found() {
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        heap_over_ledger<Heap, true> ground;
        const std::vector<std::uint8_t> bytes = random_bytes(seed, 4000);
        heap_operations operations(ground, bytes, limits{.operations_per_look = 1});
        const std::string wrong = operations.run();
        if (!wrong.empty()) {
            return wrong;
        }
    }
    return "";
}

void expect_found(const std::string& wrong, const std::string& words) {
    EXPECT_NE(wrong.find(words), std::string::npos) << wrong;
}

TEST(heap_operations, find_nothing_in_a_heap_that_is_right) {
    EXPECT_EQ(what_is_found<right>(), "");
}

TEST(heap_operations, find_blocks_that_are_not_freed) {
    expect_found(what_is_found<forgetting>(), "a block in use that nobody has at operation ");
}

TEST(heap_operations, find_a_size_that_is_not_true) {
    expect_found(what_is_found<boasting>(), "a block that is shorter than its user thinks");
}

TEST(heap_operations, find_misaligned_blocks) {
    expect_found(what_is_found<misaligning>(), "a misaligned block");
}

TEST(heap_operations, find_bytes_that_change_when_a_block_grows) {
    expect_found(what_is_found<moving>(), "bytes that changed when a block got another size");
}

TEST(heap_operations, find_words_that_were_overwritten) {
    expect_found(what_is_found<scribbling>(), "damaged");
}

TEST(heap_operations, find_blocks_that_shrink_too_much) {
    expect_found(what_is_found<stingy>(), "a block that shrank too much");
}

TEST(heap_operations, find_requests_that_are_refused_for_nothing) {
    expect_found(what_is_found<refusing>(), "a request that was refused");
}

TEST(heap_operations, find_bursts_that_are_not_whole) {
    expect_found(what_is_found<losing>(), "a burst of another number of blocks");
}

TEST(heap_operations, tell_what_was_done_last) {
    const std::string wrong = what_is_found<forgetting>();
    expect_found(wrong, "; the last were\n");
    expect_found(wrong, "deallocate");
}

} // namespace

} // namespace fuzz
