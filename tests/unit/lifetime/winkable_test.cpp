#include <mallard/lifetime/winkable.hpp>
#include <mallard/local/monotonic.hpp>
#include <mallard/local/multipool.hpp>
#include <mallard/upstream/new_delete.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <queue>
#include <set>
#include <stack>
#include <string>
#include <thread>
#include <tuple>
#include <variant>
#include <vector>

namespace {

template <class T, class A = mallard::monotonic<>>
using alloc = mallard::allocator<T, A>;
template <class T, class A = mallard::monotonic<>>
using vector = std::vector<T, alloc<T, A>>;
template <class A = mallard::monotonic<>>
using basic_string = std::basic_string<char, std::char_traits<char>, alloc<char, A>>;
using string = basic_string<>;

struct trivial {
    int number;
    const char* text;
};
struct owner {
    ~owner() {}
    int* thing;
};
struct with_standard_string {
    std::string name;
};
struct with_own_string {
    string name;
};
struct stated {
    explicit stated(alloc<char> a) : name(a) {}
    ~stated() {}
    string name;
};
struct stated_with_allocator : stated {
    using allocator_type = alloc<std::byte>;
    using stated::stated;
};
struct handle {
    int descriptor;
};
struct owning_compare {
    ~owning_compare() {}
    bool operator()(int a, int b) const { return a < b; }
};

} // namespace

template <>
inline constexpr bool mallard::winkable<stated> = true;
template <>
inline constexpr bool mallard::winkable<handle> = false;

namespace {

using mallard::winkable;

TEST(winkable, are_types_that_own_nothing) {
    EXPECT_TRUE(winkable<int>);
    EXPECT_TRUE(winkable<const int>);
    EXPECT_TRUE(winkable<int*>);
    EXPECT_TRUE(winkable<trivial>);
    EXPECT_TRUE(winkable<std::string_view>);
    EXPECT_TRUE(winkable<int[8]>);
    EXPECT_TRUE((winkable<std::array<trivial, 3>>));
}

TEST(winkable, excludes_owners_of_foreign_memory) {
    EXPECT_FALSE(winkable<owner>);
    EXPECT_FALSE(winkable<std::string>);
    EXPECT_FALSE(winkable<std::vector<int>>);
    EXPECT_FALSE(winkable<std::unique_ptr<int>>);
    EXPECT_FALSE(winkable<std::shared_ptr<int>>);
    EXPECT_FALSE(winkable<std::function<void()>>);
    EXPECT_FALSE(winkable<std::thread>);
    EXPECT_FALSE(winkable<owner[2]>);
    EXPECT_FALSE((winkable<std::vector<int, alloc<int, mallard::new_delete>>>)) << "this memory would leak";
}

TEST(winkable, look_into_containers) {
    EXPECT_TRUE(winkable<vector<vector<string>>>);
    EXPECT_FALSE(winkable<vector<std::string>>);
    EXPECT_FALSE(winkable<vector<vector<std::string>>>);
    EXPECT_FALSE(
        (winkable<std::map<std::string, int, std::less<>, alloc<std::pair<const std::string, int>>>>));
    EXPECT_FALSE(
        (winkable<std::map<int, std::string, std::less<>, alloc<std::pair<const int, std::string>>>>));
    EXPECT_FALSE((winkable<std::set<int, owning_compare, alloc<int>>>)) << "the comparison is a part too";
    EXPECT_FALSE((winkable<vector<basic_string<mallard::multipool<>>>>))
        << "another allocator's memory stays";
    EXPECT_FALSE(winkable<vector<std::pmr::string>>);
}

struct derived_from_a_container : vector<int> {
    ~derived_from_a_container() {}
};

/// With the members of a container, and the name of one.
namespace lookalike {
template <class T, class A>
class vector {
public:
    using allocator_type = A;
    using value_type = T;
    using reference = T&;
    using const_reference = const T&;
    using const_iterator = const T*;
    using size_type = std::size_t;
    using container_type = std::vector<T, A>;
    ~vector() {}
};
} // namespace lookalike

TEST(winkable, excludes_lookalikes_of_containers) {
    EXPECT_FALSE(winkable<derived_from_a_container>);
    EXPECT_FALSE((winkable<lookalike::vector<int, alloc<int>>>));
    EXPECT_FALSE((winkable<vector<lookalike::vector<int, alloc<int>>>>));
    EXPECT_FALSE((winkable<std::stack<int, lookalike::vector<int, alloc<int>>>>));
}

TEST(winkable, excludes_holders_of_unaware_members) {
    EXPECT_TRUE(winkable<vector<std::optional<int>>>);
    EXPECT_FALSE(winkable<std::optional<string>>);
    EXPECT_FALSE(winkable<vector<std::optional<string>>>);
    EXPECT_FALSE((winkable<std::variant<int, string>>));
    EXPECT_FALSE((winkable<vector<std::variant<int, std::string>>>));
    EXPECT_TRUE((winkable<vector<std::variant<int, trivial>>>));
    EXPECT_FALSE((winkable<std::array<string, 2>>));
    EXPECT_FALSE(winkable<string[2]>);
    EXPECT_FALSE((winkable<std::pair<int, std::array<vector<int>, 1>>>));
    EXPECT_TRUE((winkable<std::array<string, 0>>));
    EXPECT_FALSE((winkable<std::array<handle, 2>>)) << "trivial for the language";
    EXPECT_FALSE(winkable<std::optional<owner>>);
}

struct abstract {
    virtual void f() = 0;

protected:
    ~abstract() = default;
};

TEST(winkable, are_objects) {
    EXPECT_FALSE(winkable<void>);
    EXPECT_FALSE(winkable<int&>);
    EXPECT_FALSE(winkable<int&&>);
    EXPECT_FALSE(winkable<void()>);
    EXPECT_FALSE(winkable<int[]>);
    EXPECT_FALSE(winkable<abstract>);
    EXPECT_TRUE(winkable<volatile int>);
    EXPECT_TRUE((winkable<const volatile int[2][2]>));
    EXPECT_TRUE(winkable<const vector<string>>);
}

TEST(winkable, accepts_declared_user_types) {
    EXPECT_FALSE(winkable<with_standard_string>);
    EXPECT_FALSE(winkable<with_own_string>) << "nothing is known of its parts";
    EXPECT_TRUE(winkable<stated>);
    EXPECT_TRUE(winkable<const stated>);
    EXPECT_TRUE(winkable<vector<stated>>);
    EXPECT_FALSE(winkable<handle>) << "trivial for the language, but it must be closed";
    EXPECT_FALSE(winkable<const handle>);
    EXPECT_FALSE(winkable<vector<handle>>);
}

/// A type that takes an allocator receives it, unless a container in between drops it.
TEST(winkable, stops_at_types_without_propagation) {
    using parts = mallard::lifetime::wink_parts<stated_with_allocator>;
    using a = alloc<std::byte>;
    EXPECT_TRUE((std::uses_allocator_v<stated_with_allocator, a>));
    EXPECT_FALSE((parts::template misses_allocator<stated_with_allocator, a, void>));
    EXPECT_TRUE((parts::template misses_allocator<stated_with_allocator, a, std::optional<int>>));
    EXPECT_FALSE((parts::template misses_allocator<stated, a, std::optional<int>>)) << "it takes none";
    EXPECT_FALSE((parts::template misses_allocator<trivial, a, std::optional<int>>));
}

template <class T, class Culprit>
constexpr bool blames = std::is_same_v<mallard::lifetime::wink_culprit_t<T, alloc<std::byte>>, Culprit>;

TEST(winkable, name_the_innermost_culprit) {
    EXPECT_TRUE((blames<vector<string>, mallard::lifetime::nothing>));
    EXPECT_TRUE((blames<vector<std::string>, std::string>));
    EXPECT_TRUE((blames<vector<std::pair<int, std::tuple<vector<owner>, int>>>, owner>));
    EXPECT_TRUE((blames<std::vector<string>, std::vector<string>>));
    EXPECT_TRUE((blames<std::pmr::vector<int>, std::pmr::vector<int>>))
        << "bound to no allocator of this place";
    EXPECT_TRUE((blames<vector<std::pair<int, std::optional<string>>>,
                        mallard::lifetime::out_of_reach<string, std::optional<string>>>));
    EXPECT_TRUE((blames<std::array<std::pair<string, int>, 2>,
                        mallard::lifetime::out_of_reach<string, std::array<std::pair<string, int>, 2>>>));
    EXPECT_TRUE((blames<vector<int, mallard::multipool<>>, vector<int, mallard::multipool<>>>));
}

} // namespace
