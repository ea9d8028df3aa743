#include <mallard/core/type_name.hpp>
#include <mallard/local/multipool.hpp>

#include <gtest/gtest.h>

#include <forward_list>
#include <list>
#include <memory_resource>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

namespace other {
template <class T>
struct vector {
    T element;
};
struct text : std::string {};
} // namespace other

namespace {

using mallard::core::standard_name;
using mallard::core::type_name;
using mallard::core::type_name_hash;

TEST(type_name, has_no_mode) {
    EXPECT_EQ(type_name<int>.view(), "int");
    EXPECT_EQ(type_name<mallard::chunk_cache>.view(), "mallard::chunk_cache");
    const std::string_view pool = type_name<mallard::multipool<>>.view();
    EXPECT_TRUE(pool.starts_with("mallard::multipool<")) << pool;
}

TEST(type_name, differs_for_each_type) {
    static_assert(type_name_hash<int> != type_name_hash<unsigned>);
    static_assert(type_name_hash<std::vector<int>> != type_name_hash<std::vector<long>>);
    static_assert(type_name_hash<std::vector<int>> != type_name_hash<other::vector<int>>);
    EXPECT_EQ(type_name_hash<int>, 0x2b9f'ff19'2bd4'c83eU);
}

TEST(type_name, tells_types_of_the_standard_library) {
    static_assert(standard_name<std::vector<int>>() == "vector");
    static_assert(standard_name<std::vector<other::vector<int>>>() == "vector");
    static_assert(standard_name<std::list<int>>() == "list");
    static_assert(standard_name<std::forward_list<int>>() == "forward_list");
    static_assert(standard_name<std::string>().ends_with("string")); // clang++ writes libc++'s shorter name
    static_assert(standard_name<std::pmr::string>().ends_with("string"));
    static_assert(standard_name<std::pmr::unordered_map<int, std::pmr::string>>() == "unordered_map");
    static_assert(standard_name<std::variant<int, std::string>>() == "variant");
    static_assert(standard_name<std::optional<int>>() == "optional");
    EXPECT_TRUE(standard_name<int>().empty());
    EXPECT_TRUE(standard_name<other::text>().empty());
    EXPECT_TRUE((standard_name<other::vector<std::vector<int>>>().empty()));
    EXPECT_TRUE((standard_name<mallard::multipool<>>().empty()));
}

} // namespace
