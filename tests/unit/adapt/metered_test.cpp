#include <mallard/adapt/metered.hpp>
#include <mallard/local/monotonic.hpp>

#include <gtest/gtest.h>

namespace {

/// The least that a metered adaptor adds: it keeps the sum.
template <class A>
class summed : public mallard::adapt::metered<A> {
public:
    template <class... Args>
    explicit summed(Args&&... args) : mallard::adapt::metered<A>(std::forward<Args>(args)...) {}

    void* allocate(std::size_t bytes, std::size_t alignment) {
        void* p = this->mechanism_.allocate(bytes, alignment);
        this->bytes_in_use_ += bytes;
        return p;
    }
    void deallocate(void* p, std::size_t bytes, std::size_t alignment) noexcept {
        this->mechanism_.deallocate(p, bytes, alignment);
        this->bytes_in_use_ -= bytes;
    }
};

TEST(metered, knows_what_is_in_use_through_rollbacks_rewinds_and_releases) {
    summed<mallard::monotonic<>> adapted;
    static_assert(mallard::rewindable<decltype(adapted)>);

    void* const p = adapted.allocate(10, 1);
    const auto mark = adapted.mark();
    static_cast<void>(adapted.allocate(100, 1));
    EXPECT_EQ(adapted.bytes_in_use(), 110U);
    adapted.rollback(mark);
    EXPECT_EQ(adapted.bytes_in_use(), 10U);
    adapted.deallocate(p, 10, 1);
    EXPECT_EQ(adapted.bytes_in_use(), 0U);

    static_cast<void>(adapted.allocate(7, 1));
    adapted.rewind();
    EXPECT_EQ(adapted.bytes_in_use(), 0U);
    static_cast<void>(adapted.allocate(7, 1));
    adapted.release();
    EXPECT_EQ(adapted.bytes_in_use(), 0U);
}

} // namespace
