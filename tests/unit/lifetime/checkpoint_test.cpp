
#include <mallard/bind/allocator.hpp>
#include <mallard/lifetime/checkpoint.hpp>
#include <mallard/local/monotonic.hpp>

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace {

class checkpoint : public ::testing::Test {
protected:
    /// Returns: the address of the next block.
    void* next() {
        const auto mark = arena_.mark();
        void* const p = arena_.allocate(1, 8);
        arena_.rollback(mark);
        return p;
    }

    alignas(16) std::array<std::byte, 1024> buffer_;
    mallard::monotonic<> arena_{std::span<std::byte>(buffer_)};
};

TEST_F(checkpoint, rolls_back_at_scope_end) {
    static_cast<void>(arena_.allocate(24, 8));
    void* const first = next();
    {
        const mallard::checkpoint scratch(arena_);
        std::vector<int, mallard::allocator<int, mallard::monotonic<>>> v(100, 1, arena_);
        EXPECT_NE(next(), first);
    }
    EXPECT_EQ(next(), first);
}

TEST_F(checkpoint, commit_keeps_allocations) {
    void* p = nullptr;
    {
        mallard::checkpoint scratch(arena_);
        p = arena_.allocate(24, 8);
        scratch.commit();
    }
    EXPECT_NE(next(), p);
}

TEST_F(checkpoint, rolls_back_on_request_and_stays_in_force) {
    void* const first = next();
    {
        mallard::checkpoint scratch(arena_);
        for (int i = 0; i < 3; ++i) {
            EXPECT_EQ(arena_.allocate(100, 8), first);
            scratch.rollback();
        }
        static_cast<void>(arena_.allocate(100, 8));
    }
    EXPECT_EQ(next(), first);
}

TEST_F(checkpoint, nests) {
    void* const first = next();
    {
        const mallard::checkpoint outer(arena_);
        static_cast<void>(arena_.allocate(100, 8));
        void* const between = next();
        {
            const mallard::checkpoint inner(arena_);
            static_cast<void>(arena_.allocate(2000, 8));
        }
        EXPECT_EQ(next(), between);
        {
            mallard::checkpoint inner(arena_);
            static_cast<void>(arena_.allocate(100, 8));
            inner.commit();
        }
        EXPECT_NE(next(), between);
    }
    EXPECT_EQ(next(), first) << "the outer one forgets what the inner one kept";
}

#ifdef __cpp_exceptions

TEST_F(checkpoint, forgets_when_an_exception_passes) {
    void* const first = next();
    EXPECT_THROW(
        {
            const mallard::checkpoint scratch(arena_);
            static_cast<void>(arena_.allocate(100, 8));
            throw 1;
        },
        int);
    EXPECT_EQ(next(), first);
}

#endif

} // namespace
