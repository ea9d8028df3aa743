#include <mallard/bind/common_pool.hpp>
#include <mallard/bind/fixed_block_allocator.hpp>
#include <mallard/bind/pooled.hpp>
#include <mallard/bind/static_allocator.hpp>

#include <gtest/gtest.h>

#include <list>

namespace {

struct order : mallard::pooled<order> {
    int number = 0;
};

using numbers = std::list<int, mallard::static_allocator<int, mallard::common_pool>>;

TEST(common_pool, serves_classes_strings_and_containers) {
    EXPECT_EQ(&order::pool(), &mallard::common_pool::pool());
    EXPECT_EQ(&mallard::fixed_string<64>::allocator_type::mechanism(), &mallard::common_pool::pool());
    const numbers list{1};
    EXPECT_TRUE(mallard::common_pool::pool().owns(&list.front()));
}

} // namespace
