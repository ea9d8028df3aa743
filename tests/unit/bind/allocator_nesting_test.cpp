// Uses-allocator construction: an object nested in a container lives in the container's memory, whatever its binding.
#include <mallard/adapt/counted.hpp>
#include <mallard/bind/allocator.hpp>
#include <mallard/bind/inline_resource.hpp>
#include <mallard/bind/on_copy.hpp>
#include <mallard/bind/resource.hpp>
#include <mallard/bind/static_allocator.hpp>
#include <mallard/local/multipool.hpp>
#include <mallard/typed/make.hpp>

#include <gtest/gtest.h>

#include <deque>
#include <forward_list>
#include <list>
#include <map>
#include <memory>
#include <memory_resource>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace {

using pool = mallard::counted<mallard::multipool<>>;
template <class T>
using alloc = mallard::allocator<T, pool>;
template <class T>
using vector = std::vector<T, alloc<T>>;
using string = std::basic_string<char, std::char_traits<char>, alloc<char>>;

constexpr std::string_view text = "longer than any string that fits into its own object";

struct hash {
    std::size_t operator()(const string& s) const { return std::hash<std::string_view>()(s); }
};

class nesting : public ::testing::Test {
protected:
    /// A container has given back all memory of its elements in the end.
    ~nesting() override { EXPECT_EQ(pool_.counts().bytes_in_use, 0U); }

    void expect_inside(const string& s) const {
        EXPECT_EQ(&s.get_allocator().mechanism(), &pool_);
        EXPECT_EQ(s, text);
    }

    pool pool_;
};

TEST_F(nesting, reaches_the_elements_of_sequences) {
    vector<string> v(pool_);
    std::deque<string, alloc<string>> d(pool_);
    std::list<string, alloc<string>> l(pool_);
    std::forward_list<string, alloc<string>> f(pool_);
    expect_inside(v.emplace_back(text));
    expect_inside(d.emplace_front(text));
    expect_inside(l.emplace_back(text));
    expect_inside(f.emplace_front(text));
    v.push_back(v[0]);
    v.resize(10);
    v.insert(v.begin(), string(text, pool_));
    expect_inside(v[0]);
    expect_inside(v[2]);
    EXPECT_EQ(&v[9].get_allocator().mechanism(), &pool_);
}

TEST_F(nesting, reaches_keys) {
    std::set<string, std::less<>, alloc<string>> s(pool_);
    std::multiset<string, std::less<>, alloc<string>> m(pool_);
    std::unordered_set<string, hash, std::equal_to<>, alloc<string>> u(pool_);
    std::unordered_multiset<string, hash, std::equal_to<>, alloc<string>> w(pool_);
    expect_inside(*s.emplace(text).first);
    expect_inside(*m.emplace(text));
    expect_inside(*u.emplace(text).first);
    expect_inside(*w.emplace(text));
}

TEST_F(nesting, reaches_both_halves_of_maps) {
    std::map<string, vector<string>, std::less<>, alloc<std::pair<const string, vector<string>>>> m(pool_);
    m[string(text, pool_)].emplace_back(text);
    m.try_emplace(string("other", pool_)).first->second.emplace_back(text);
    m.emplace("third", vector<string>(pool_));
    m.emplace(std::piecewise_construct, std::forward_as_tuple("fourth"),
              std::forward_as_tuple(2, string(pool_)));
    for (const auto& [key, value] : m) {
        EXPECT_EQ(&key.get_allocator().mechanism(), &pool_);
        EXPECT_EQ(&value.get_allocator().mechanism(), &pool_);
    }
    expect_inside(m.find(text)->first);
    expect_inside(m.find(text)->second[0]);

    std::unordered_map<string, string, hash, std::equal_to<>, alloc<std::pair<const string, string>>> u(
        pool_);
    u.emplace(text, text);
    expect_inside(u.begin()->first);
    expect_inside(u.begin()->second);
    std::multimap<int, string, std::less<>, alloc<std::pair<const int, string>>> n(pool_);
    expect_inside(n.emplace(1, text)->second);
}

TEST_F(nesting, reaches_into_pairs_and_tuples) {
    vector<std::pair<int, string>> p(pool_);
    expect_inside(p.emplace_back(1, text).second);
#ifndef _LIBCPP_VERSION
    // libc++ (19 and before) looks for the inner pair's arguments before it has declared the function that makes them.
    vector<std::pair<string, std::pair<string, int>>> deep(pool_);
    deep.emplace_back(text, std::pair<std::string_view, int>(text, 2));
    expect_inside(deep[0].first);
    expect_inside(deep[0].second.first);
#endif
    vector<std::tuple<int, string>> t(pool_);
    t.emplace_back(1, string(text, pool_));
    expect_inside(std::get<1>(t[0]));
}

TEST_F(nesting, leaves_types_alone_that_take_no_allocator) {
    vector<std::pair<int, double>> v(pool_);
    v.emplace_back(1, 2.0);
    vector<std::string> strings(pool_);
    EXPECT_EQ(strings.emplace_back(text), text);
    EXPECT_FALSE((mallard::bind::takes_allocator<std::pair<int, double>, alloc<int>>));
    EXPECT_FALSE((mallard::bind::takes_allocator<std::string, alloc<int>>));
    EXPECT_TRUE((mallard::bind::takes_allocator<const string, alloc<int>>));
    EXPECT_TRUE((mallard::bind::takes_allocator<std::pair<const string, int>, alloc<int>>));
    EXPECT_TRUE((mallard::bind::takes_allocator<std::pair<int, std::pair<int, string>>, alloc<int>>));
}

/// Containers of one binding with elements of another. The default resource, which must serve none of them, has no memory.
class mixed_bindings : public ::testing::Test {
protected:
    using typed_resource = mallard::resource<pool>;
    template <class T>
    using inlined = mallard::inline_allocator<T>;
    template <class T>
    using typed = mallard::allocator<T, typed_resource>;
    using inline_string = std::basic_string<char, std::char_traits<char>, inlined<char>>;
    using leaving_string = std::basic_string<char, std::char_traits<char>,
                                             mallard::inline_allocator<char, mallard::global_on_copy>>;

    mixed_bindings() : default_(std::pmr::set_default_resource(std::pmr::null_memory_resource())) {}
    mixed_bindings(const mixed_bindings&) = delete;
    mixed_bindings& operator=(const mixed_bindings&) = delete;
    ~mixed_bindings() override {
        std::pmr::set_default_resource(default_);
        EXPECT_EQ(pool_.mechanism().counts().bytes_in_use, 0U);
    }

    void expect_inside(const std::pmr::string& s) const {
        EXPECT_EQ(s.get_allocator().resource(), &pool_);
        EXPECT_EQ(s, text);
        EXPECT_TRUE(pool_.owns(s.data()));
    }

    template <class T, class A, class OnCopy>
    void expect_inside(
        const std::basic_string<T, std::char_traits<T>, mallard::allocator<T, A, OnCopy>>& s) const {
        EXPECT_EQ(&s.get_allocator().mechanism(), &pool_);
        EXPECT_EQ(s, text);
        EXPECT_TRUE(pool_.owns(s.data()));
    }

    template <class String, template <class> class Alloc>
    void expect_elements_inside() {
        std::vector<String, Alloc<String>> v{Alloc<String>(pool_)};
        v.emplace_back(text);
        v.push_back(v[0]);
        v.resize(10);
        expect_inside(v[0]);
        expect_inside(v[1]);
        std::list<String, Alloc<String>> l{Alloc<String>(pool_)};
        expect_inside(l.emplace_back(text));
        using entry = std::pair<const String, String>;
        std::map<String, String, std::less<>, Alloc<entry>> m{Alloc<entry>(pool_)};
        const auto& [key, value] = *m.try_emplace(String(text, Alloc<char>(pool_)), text).first;
        expect_inside(key);
        expect_inside(value);
        std::vector<std::tuple<int, String>, Alloc<std::tuple<int, String>>> t{Alloc<int>(pool_)};
        t.emplace_back(1, String(text, Alloc<char>(pool_)));
        expect_inside(std::get<1>(t[0]));
    }

    typed_resource pool_;

private:
    std::pmr::memory_resource* default_;
};

TEST_F(mixed_bindings, polymorphic_elements_lie_in_the_resource) {
    expect_elements_inside<std::pmr::string, inlined>();
    expect_elements_inside<std::pmr::string, typed>();
}

TEST_F(mixed_bindings, inline_elements_lie_in_the_resource) {
    expect_elements_inside<inline_string, typed>();
}

TEST_F(mixed_bindings, the_policy_for_copies_does_not_matter) {
    std::list<leaving_string, inlined<leaving_string>> l{&pool_};
    expect_inside(l.emplace_back(text));
    EXPECT_EQ(&leaving_string(l.front()).get_allocator().mechanism(), mallard::new_delete_resource());
}

TEST_F(mixed_bindings, objects_lie_in_the_resource) {
    using both = std::pair<inline_string, std::pmr::string>;
    const auto made = mallard::make_unique<both>(pool_, text, text);
    expect_inside(made->first);
    expect_inside(made->second);
    using list = std::list<std::pmr::string, inlined<std::pmr::string>>;
    const auto strings = mallard::make_unique<list>(pool_);
    expect_inside(strings->emplace_back(text));
}

TEST_F(mixed_bindings, an_element_may_come_with_its_resource) {
    pool nodes;
    {
        std::list<std::pmr::string, alloc<std::pmr::string>> l(nodes);
        expect_inside(l.emplace_back(text, &pool_));
    }
    auto* const made = mallard::make<std::pmr::string>(nodes, text, &pool_);
    expect_inside(*made);
    auto* const moved = mallard::make<std::pmr::string>(nodes, std::move(*made));
    expect_inside(*moved);
    mallard::destroy(nodes, moved);
    mallard::destroy(nodes, made);
    EXPECT_EQ(nodes.counts().bytes_in_use, 0U);
}

/// A pointer to a resource with a class of its own, as Boost.JSON has.
struct storage {
    storage(std::pmr::memory_resource* base) : resource(base) {} // NOLINT(google-explicit-constructor)
    std::pmr::memory_resource* resource;
};
struct document {
    using allocator_type = std::pmr::polymorphic_allocator<char>;
    explicit document(storage s) : value(text, s.resource) {}
    std::pmr::string value;
};

TEST_F(mixed_bindings, an_element_may_come_with_a_class_that_stands_for_its_resource) {
    pool nodes;
    {
        std::list<document, alloc<document>> l(nodes);
        expect_inside(l.emplace_back(storage(&pool_)).value);
    }
    auto* const made = mallard::make<document>(nodes, storage(&pool_));
    expect_inside(made->value);
    mallard::destroy(nodes, made);
    EXPECT_EQ(nodes.counts().bytes_in_use, 0U);
}

TEST_F(mixed_bindings, allocators_compare_and_convert) {
    const inlined<int> by_base(&pool_);
    const typed<int> by_type(pool_);
    const std::pmr::polymorphic_allocator<char> abstract = by_base;
    EXPECT_EQ(abstract.resource(), &pool_);
    EXPECT_TRUE(abstract == std::pmr::polymorphic_allocator<char>(by_type));
    EXPECT_EQ(&inlined<long>(by_type).mechanism(), &by_base.mechanism());
    // A mechanism is not a base, and a base is not any of its mechanisms.
    EXPECT_FALSE((std::is_convertible_v<alloc<int>, std::pmr::polymorphic_allocator<int>>));
    EXPECT_FALSE((std::is_convertible_v<alloc<int>, inlined<int>>));
    EXPECT_FALSE((std::is_convertible_v<inlined<int>, typed<int>>));
    EXPECT_FALSE((std::is_convertible_v<std::pmr::polymorphic_allocator<int>, inlined<int>>));
}

/// As a container whose default hash is none. clang++ asks for a conversion of the allocator to one with all defaults.
template <class T, class Hash = void, class Alloc = std::allocator<T>>
struct hashed_by_default {
    static_assert(!std::is_void_v<Hash>);
    explicit hashed_by_default(const Alloc& a) : allocator(a) {}
    hashed_by_default(const hashed_by_default&) = default;
    Alloc allocator;
};

TEST_F(mixed_bindings, containers_with_defaults_are_not_asked_about) {
    using bound = mallard::allocator<int, std::pmr::memory_resource>;
    const hashed_by_default<int, int, bound> made(bound{pool_});
    EXPECT_EQ(&made.allocator.mechanism(), &pool_);
}

struct static_nodes : mallard::per_thread<static_nodes, mallard::multipool<>> {};
struct static_resource : mallard::per_thread<static_resource, mallard::resource<pool>> {};

TEST(loses_allocator, finds_what_would_lie_elsewhere) {
    using pmr = std::pmr::string;
    using mallard::bind::loses_allocator;
    EXPECT_TRUE((loses_allocator<pmr, alloc<int>>));
    EXPECT_TRUE((loses_allocator<const pmr, mallard::static_allocator<int, static_nodes>>));
    EXPECT_TRUE((loses_allocator<std::pair<int, std::tuple<const pmr>>, alloc<int>>));
    EXPECT_TRUE((loses_allocator<std::vector<int, mallard::inline_allocator<int>>, alloc<int>>));
    EXPECT_FALSE((loses_allocator<pmr, mallard::inline_allocator<int>>));
    EXPECT_FALSE((loses_allocator<string, alloc<int>>));
    EXPECT_FALSE((loses_allocator<std::string, alloc<int>>));
    // Their types name the resource, so there is no default that could take its place.
    using typed =
        std::basic_string<char, std::char_traits<char>, mallard::allocator<char, mallard::resource<pool>>>;
    using by_tag =
        std::basic_string<char, std::char_traits<char>, mallard::static_allocator<char, static_resource>>;
    EXPECT_FALSE((loses_allocator<typed, alloc<int>>));
    EXPECT_FALSE((loses_allocator<by_tag, alloc<int>>));
    EXPECT_FALSE((loses_allocator<int, alloc<int>>));
}

} // namespace
