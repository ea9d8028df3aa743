#include <mallard/adapt/checked.hpp>
#include <mallard/mallard.hpp>

#include <gtest/gtest.h>

#include <list>
#include <string>
#include <vector>

namespace {

std::vector<mallard::misuse>& heard() {
    static std::vector<mallard::misuse> all;
    return all;
}

class checked : public ::testing::Test {
protected:
    checked() {
        heard().clear();
        mallard::set_misuse_handler(
            [](const mallard::misuse_report& r) noexcept { heard().push_back(r.kind); });
    }
    ~checked() override { mallard::set_misuse_handler(nullptr); }
};

TEST_F(checked, meets_concepts_of_mechanism) {
    EXPECT_TRUE(mallard::local_allocator<mallard::checked<mallard::multipool<>>>);
    EXPECT_FALSE(mallard::rewindable<mallard::checked<mallard::multipool<>>>);
    EXPECT_TRUE(mallard::rewindable<mallard::checked<mallard::monotonic<>>>);
    EXPECT_TRUE(mallard::upstream<mallard::checked<mallard::new_delete>>);
    EXPECT_FALSE(mallard::local_allocator<mallard::checked<mallard::new_delete>>);
    EXPECT_TRUE(mallard::thread_safe<mallard::checked<mallard::concurrent_multipool<>&>>);
    EXPECT_FALSE(mallard::thread_safe<mallard::checked<mallard::multipool<>>>);
}

TEST_F(checked, refers_to_a_mechanism_that_lives_elsewhere) {
    mallard::multipool<> pool;
    mallard::checked<mallard::multipool<>&> around(pool);
    EXPECT_EQ(&around.mechanism(), &pool);
    void* const p = around.allocate(24, 8);
    EXPECT_EQ(around.stats().chunks, 1U);
    around.deallocate(p, 24, 8);
    around.deallocate(p, 24, 8);
    EXPECT_EQ(heard(), std::vector{mallard::misuse::double_free});
}

TEST_F(checked, continues_when_handler_returns) {
    mallard::checked<mallard::multipool<>> pool;
    int elsewhere = 0;
    void* const p = pool.allocate(24, 8);
    pool.deallocate(&elsewhere, sizeof elsewhere, alignof(int));
    pool.deallocate(p, 8, 8);
    pool.deallocate(p, 24, 8);
    EXPECT_EQ(heard(), (std::vector{mallard::misuse::foreign_pointer, mallard::misuse::wrong_size,
                                    mallard::misuse::double_free}));
    EXPECT_NE(pool.allocate(24, 8), pool.allocate(24, 8)) << "the pool has no block twice";
}

TEST_F(checked, composes_with_bindings_and_adaptors) {
    mallard::synchronized<mallard::counted<mallard::checked<mallard::multipool<>>>> pool;
    mallard::resource<decltype(pool)&> base(pool);
    {
        std::list<int, mallard::allocator<int, decltype(pool)>> by_type(100, 1, pool);
        std::pmr::vector<int> by_base(1000, 1, &base);
        mallard::check(by_type.get_allocator());
        mallard::check(base);
        mallard::expect_all_freed(base);
        EXPECT_EQ(heard(), std::vector{mallard::misuse::never_freed}) << "found through three layers";
    }
    mallard::expect_all_freed(pool);
    EXPECT_EQ(heard().size(), 1U);
}

TEST_F(checked, asks_nothing_of_allocators_without_a_registry) {
    mallard::multipool<> pool;
    static_cast<void>(pool.allocate(24, 8));
    mallard::check(pool);
    mallard::expect_all_freed(pool);
    mallard::expect_all_freed_at_end(pool);
    EXPECT_TRUE(heard().empty());
}

} // namespace
