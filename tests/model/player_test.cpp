// The player catches each kind of broken allocator, and the shrinker shows the fault in a few operations.
#include "model/turn.hpp"

#include <mallard/core/alignment.hpp>
#include <mallard/core/failure.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace {

/// Allocates blocks contiguously from one buffer: correct, but wasteful.
class bump : public model::subject {
public:
    explicit bump(equipment::ledger& source) : source_(source) {}
    ~bump() override { release(); }

    [[nodiscard]] model::abilities able() const noexcept override { return {.releases = true}; }

    void* allocate(std::size_t bytes, std::size_t alignment) override {
        if (bytes > most_bytes) {
            mallard::core::fail_allocation(bytes, alignment);
        }
        if (memory_ == nullptr) {
            memory_ = static_cast<std::byte*>(source_.allocate(most_bytes));
            cursor_ = memory_;
        }
        std::byte* block = cursor_ + mallard::core::padding_to(cursor_, alignment);
        cursor_ = block + std::max<std::size_t>(bytes, 1);
        EXPECT_LE(cursor_ - memory_, std::ptrdiff_t{most_bytes}) << "the stream asks for too much";
        return block;
    }

    using subject::deallocate;
    void deallocate(void*, std::size_t, std::size_t) noexcept override {}

    void release() noexcept override {
        if (memory_ != nullptr) {
            source_.deallocate(memory_, most_bytes);
            memory_ = nullptr;
        }
    }

protected:
    static constexpr std::size_t most_bytes = std::size_t{1} << 19;
    equipment::ledger& source_;
    std::byte* memory_ = nullptr;
    std::byte* cursor_ = nullptr;
};

/// Gives out the last freed block, even if it is too small.
class overlapping : public bump {
public:
    using bump::bump;
    void* allocate(std::size_t bytes, std::size_t alignment) override {
        void* p = freed_ != nullptr && mallard::core::is_aligned(freed_, alignment)
                      ? freed_
                      : bump::allocate(bytes, alignment);
        freed_ = nullptr;
        return p;
    }
    using bump::deallocate;
    void deallocate(void* p, std::size_t, std::size_t) noexcept override { freed_ = p; }
    void release() noexcept override {
        bump::release();
        freed_ = nullptr;
    }

private:
    void* freed_ = nullptr;
};

/// Ignores alignments above 16.
class misaligning : public bump {
public:
    using bump::bump;
    void* allocate(std::size_t bytes, std::size_t alignment) override {
        return bump::allocate(bytes, std::min<std::size_t>(alignment, 16));
    }
};

/// Writes a link into a block that is being freed, with more bytes than the block has.
class corrupting : public bump {
public:
    using bump::bump;
    using bump::deallocate;
    void deallocate(void* p, std::size_t, std::size_t) noexcept override { std::memset(p, 0, 64); }
};

/// Leaks one of its chunks.
class losing : public bump {
public:
    using bump::bump;
    void* allocate(std::size_t bytes, std::size_t alignment) override {
        if (bytes > 4096) {
            static_cast<void>(source_.allocate(bytes));
        }
        return bump::allocate(bytes, alignment);
    }
};

/// Returns its memory with a size other than the allocated size.
class miscounting : public bump {
public:
    using bump::bump;
    void release() noexcept override {
        if (memory_ != nullptr) {
            source_.deallocate(memory_, most_bytes - 16);
            memory_ = nullptr;
        }
    }
    ~miscounting() override { release(); }
};

/// Refuses large requests, with memory left.
class refusing : public bump {
public:
    using bump::bump;
    void* allocate(std::size_t bytes, std::size_t alignment) override {
        if (bytes > 4096) {
            mallard::core::fail_allocation(bytes, alignment);
        }
        return bump::allocate(bytes, alignment);
    }
};

template <class Subject>
model::outcome play(std::span<const std::uint8_t> bytes) {
    model::kind k{};
    k.most = {.bytes = 5000, .release_bytes = std::size_t{1} << 18, .uses_again = false};
    k.make = [](equipment::ledger& source) { return std::make_unique<Subject>(source); };
    return model::play_bytes(k, bytes);
}

/// Returns: true if the run of some seed shrinks to that fault in at most `most` operations.
template <class Subject>
bool shrinks_to(const std::string& fault, std::size_t most) {
    const auto has_fault = [&fault](std::span<const std::uint8_t> bytes) {
        return play<Subject>(bytes).fault.find(fault) != std::string::npos;
    };
    for (std::uint64_t seed = 1; seed != 20; ++seed) {
        const std::vector<std::uint8_t> bytes = model::random_bytes(seed, 300);
        if (has_fault(bytes) && play<Subject>(model::shrink(bytes, has_fault)).operations <= most) {
            return true;
        }
    }
    return false;
}

} // namespace

TEST(checker, accepts_a_correct_allocator) {
    EXPECT_EQ(play<bump>(model::random_bytes(7, 2000)).fault, "");
}

TEST(checker, finds_blocks_that_overlap) {
    // A small block, a second one behind it, deallocation of the first, a large block in its place.
    EXPECT_TRUE(shrinks_to<overlapping>("a block that reaches into the next one", 4));
}

TEST(checker, finds_a_misaligned_block) {
    // One block misaligns the next, unless the memory itself begins misaligned.
    EXPECT_TRUE(shrinks_to<misaligning>("a misaligned block", 2));
}

TEST(checker, finds_corrupted_bytes) {
    EXPECT_TRUE(shrinks_to<corrupting>("bytes that changed in a live block", 3));
}

TEST(checker, finds_lost_memory) {
    EXPECT_TRUE(shrinks_to<losing>("did not come back", 1));
}

TEST(checker, finds_deallocations_of_the_wrong_size) {
    EXPECT_TRUE(shrinks_to<miscounting>("given back as", 1));
}

#ifdef __cpp_exceptions
TEST(checker, finds_refused_requests) {
    EXPECT_TRUE(shrinks_to<refusing>("refused, with memory left", 1));
}
#endif

TEST(shrinker, finds_a_shortest_part) {
    const auto has_two_sevens = [](std::span<const std::uint8_t> bytes) {
        return std::ranges::count(bytes, 7) >= 2;
    };
    EXPECT_EQ(model::shrink({1, 7, 2, 3, 7, 7, 4}, has_two_sevens), (std::vector<std::uint8_t>{7, 7}));
}

TEST(shrinker, makes_numbers_small) {
    const auto has_three_digits = [](std::span<const std::uint8_t> bytes) {
        return std::ranges::any_of(bytes, [](std::uint8_t byte) { return byte >= 100; });
    };
    EXPECT_EQ(model::shrink({7, 231, 4}, has_three_digits), (std::vector<std::uint8_t>{115}));
}

TEST(random_bytes, depend_on_the_seed_alone) {
    EXPECT_EQ(model::random_bytes(3, 100), model::random_bytes(3, 100));
    EXPECT_NE(model::random_bytes(3, 100), model::random_bytes(4, 100));
}

TEST(ledger, complains_of_every_wrong_deallocation) {
    equipment::ledger source;
    void* p = source.allocate(100, 32);
    EXPECT_TRUE(mallard::core::is_aligned(p, 32));
    EXPECT_FALSE(mallard::core::is_aligned(p, 64)) << "nobody may rely on more than was asked for";

    source.deallocate(static_cast<std::byte*>(p) + 16, 84, 16);
    source.deallocate(p, 100, 16);
    source.deallocate(p, 100, 32);
    ASSERT_EQ(source.complaints().size(), 3U);
    EXPECT_NE(source.complaints()[0].find("not taken from here"), std::string::npos);
    EXPECT_NE(source.complaints()[1].find("given back as 100 bytes at alignment 16"), std::string::npos);
    EXPECT_NE(source.complaints()[2].find("given back before"), std::string::npos);

    auto* q = static_cast<std::byte*>(source.allocate(8, 8));
    q[8] = std::byte{0};
    q[-1] = std::byte{0};
    source.deallocate(q, 8, 8);
    ASSERT_EQ(source.complaints().size(), 5U);
    EXPECT_NE(source.complaints()[3].find("in front of"), std::string::npos);
    EXPECT_NE(source.complaints()[4].find("past its end"), std::string::npos);
}
