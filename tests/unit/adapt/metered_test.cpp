#include <mallard/adapt/adaptor.hpp>
#include <mallard/adapt/metered.hpp>
#include <mallard/local/monotonic.hpp>

#include <gtest/gtest.h>

namespace {

/// The smallest hook of this kind: it counts the allocated bytes.
struct summing : mallard::adapt::metered<> {
    using metered::operator();

    template <class Mechanism, class Call>
    void* operator()(Mechanism&, const mallard::adapt::allocation& request, Call call) {
        void* const p = call(request);
        bytes_in_use_ += request.bytes;
        return p;
    }
};

template <class A>
class summed : public mallard::adapt::adaptor<A, summing> {
public:
    using mallard::adapt::adaptor<A, summing>::adaptor;
    [[nodiscard]] std::size_t bytes_in_use() const noexcept { return this->hook_.bytes_in_use(); }
};

TEST(metered, tracks_use_through_rollback_rewind_and_release) {
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
