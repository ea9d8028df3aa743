// The checker catches each kind of broken allocator, and the shrinker shows the fault in a few operations.
#include "model/checker.hpp"

#include <gtest/gtest.h>

#include <cstring>

namespace {

using model::fault;

/// Allocates blocks contiguously from one buffer: correct, but wasteful.
class bump : public model::subject {
public:
    explicit bump(equipment::ledger& source) : source_(source) {}
    ~bump() override { release(); }

    void* allocate(std::size_t bytes, std::size_t alignment) override {
        if (memory_ == nullptr) {
            memory_ = static_cast<std::byte*>(source_.allocate(most_bytes));
            cursor_ = memory_;
        }
        std::byte* block = cursor_ + mallard::core::padding_to(cursor_, alignment);
        cursor_ = block + std::max<std::size_t>(bytes, 1);
        EXPECT_LE(cursor_ - memory_, std::ptrdiff_t{most_bytes}) << "the stream asks for too much";
        return block;
    }

    void deallocate(void*, std::size_t, std::size_t) noexcept override {}

    void release() noexcept override {
        if (memory_ != nullptr) {
            source_.deallocate(memory_, most_bytes);
            memory_ = nullptr;
        }
    }

protected:
    static constexpr std::size_t most_bytes = std::size_t{4} << 20;
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

template <class Subject>
model::make_subject maker() {
    return [](equipment::ledger& source) { return std::make_unique<Subject>(source); };
}

template <class Subject>
void expect_fault(fault kind, std::size_t operations_needed) {
    const model::stream operations = model::random_stream(7, 400, true);
    const model::finding failure = model::check(operations, maker<Subject>());
    ASSERT_EQ(failure.kind, kind) << failure.text;
    EXPECT_FALSE(failure.text.empty());

    const model::stream shortest = model::shrink(operations, kind, maker<Subject>());
    EXPECT_EQ(shortest.size(), operations_needed) << shortest;
    EXPECT_EQ(model::check(shortest, maker<Subject>()).kind, kind);
}

} // namespace

TEST(checker, accepts_a_correct_allocator) {
    const model::finding failure = model::check(model::random_stream(7, 400, true), maker<bump>());
    EXPECT_FALSE(failure) << failure.text;
}

TEST(checker, finds_blocks_that_overlap) {
    // A small block, a second one behind it, deallocation of the first, a large block in its place.
    expect_fault<overlapping>(fault::overlapping, 4);
}

TEST(checker, finds_a_misaligned_block) {
    // One block misaligns the next, unless the memory itself begins misaligned.
    const model::stream operations = model::random_stream(7, 400, true);
    ASSERT_EQ(model::check(operations, maker<misaligning>()).kind, fault::misaligned);
    EXPECT_LE(model::shrink(operations, fault::misaligned, maker<misaligning>()).size(), 2U);
}

TEST(checker, finds_corrupted_bytes) {
    expect_fault<corrupting>(fault::corrupted, 3);
}

TEST(checker, finds_lost_memory) {
    expect_fault<losing>(fault::lost, 1);
}

TEST(checker, finds_deallocations_of_the_wrong_size) {
    expect_fault<miscounting>(fault::complaint, 1);
}

TEST(shrinker, makes_numbers_small) {
    const model::stream operations = model::random_stream(7, 400, true);
    const model::stream shortest = model::shrink(operations, fault::lost, maker<losing>());
    ASSERT_EQ(shortest.size(), 1U);
    EXPECT_EQ(shortest[0].alignment, 1U);
    EXPECT_LE(shortest[0].bytes, 2 * 4096U + 1U);
}

TEST(random_stream, depends_on_the_seed_alone) {
    EXPECT_EQ(model::random_stream(3, 100, true), model::random_stream(3, 100, true));
    EXPECT_NE(model::random_stream(3, 100, true), model::random_stream(4, 100, true));
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
