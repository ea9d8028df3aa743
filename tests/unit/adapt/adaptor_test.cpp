#include "equipment/ledger.hpp"

#include <mallard/adapt/adaptor.hpp>
#include <mallard/mallard.hpp>

#include <gtest/gtest.h>

namespace {

/// A user's adaptor: a hook, and a name.
struct tagging : mallard::adapt::passing {
    using passing::operator();

    template <class Mechanism, class Call>
    void* operator()(Mechanism&, const mallard::adapt::allocation& request, Call call) {
        ++allocations;
        return call(mallard::adapt::allocation{request.bytes + 8, request.alignment, request.quiet});
    }

    template <class Mechanism, class Call>
    void operator()(Mechanism&, const mallard::adapt::deallocation& deallocation, Call call) {
        call(mallard::adapt::deallocation{deallocation.p, deallocation.bytes + 8, deallocation.alignment});
    }

    int allocations = 0;
};

template <class A>
class tagged : public mallard::adapt::adaptor<A, tagging> {
public:
    using mallard::adapt::adaptor<A, tagging>::adaptor;
    [[nodiscard]] int allocations() const noexcept { return this->hook_.allocations; }
};

TEST(adaptor, holds_a_mechanism_or_refers_to_one) {
    equipment::ledger source;
    mallard::monotonic<equipment::ledger> arena(source);
    tagged<mallard::monotonic<equipment::ledger>> holder(source);
    tagged<mallard::monotonic<equipment::ledger>&> reference(arena);
    EXPECT_NE(&holder.mechanism(), &arena);
    EXPECT_EQ(&reference.mechanism(), &arena);
    EXPECT_FALSE(std::is_copy_constructible_v<decltype(holder)>);
}

TEST(adaptor, calls_hook_for_every_operation) {
    equipment::ledger source;
    tagged<equipment::ledger&> adapted(source);
    void* const p = adapted.allocate(24, 8);
    EXPECT_EQ(adapted.allocations(), 1);
    EXPECT_EQ(source.outstanding_bytes(), 32U);
    adapted.deallocate(p, 24, 8);
    EXPECT_EQ(source.outstanding(), 0U);
}

TEST(adaptor, passes_release_rewind_and_rollback_on) {
    equipment::ledger source;
    tagged<mallard::monotonic<equipment::ledger>> adapted(source);
    EXPECT_TRUE(mallard::rewindable<decltype(adapted)>);

    const auto mark = adapted.mark();
    void* const p = adapted.allocate(100, 8);
    adapted.rollback(mark);
    EXPECT_EQ(adapted.allocate(100, 8), p);
    adapted.rewind();
    EXPECT_EQ(source.outstanding(), 1U);
    EXPECT_EQ(adapted.allocate(100, 8), p);
    adapted.release();
    EXPECT_EQ(source.outstanding(), 0U);
}

TEST(adaptor, stacks) {
    equipment::ledger source;
    mallard::limited<mallard::failing<mallard::counted<mallard::multipool<equipment::ledger>>>> stack(
        std::size_t{1000}, mallard::failure_plan{.at = 0}, source);
    void* const p = stack.allocate(600, 8);
    EXPECT_EQ(stack.bytes_in_use(), 600U);
    EXPECT_EQ(stack.mechanism().requests(), 1U);
    EXPECT_EQ(stack.mechanism().mechanism().counts().bytes_in_use, 600U);
    stack.deallocate(p, 600, 8);
    EXPECT_EQ(stack.mechanism().mechanism().counts().bytes_in_use, 0U);
    stack.release();
    EXPECT_EQ(source.outstanding(), 0U);
}

} // namespace
