// Node containers of Boost over a mallard heap: they take the nodes of a range, and give them back, in one burst.
#include "equipment/boost_containers.hpp"
#include "equipment/my_int.hpp"

#include <mallard/adapt/counted.hpp>
#include <mallard/adapt/failing.hpp>
#include <mallard/bind/expandable_allocator.hpp>
#include <mallard/local/heap.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <vector>

namespace {

#if EQUIPMENT_HAS_BOOST

namespace bc = boost::container;
using equipment::my_int;
using mallard::expansion;
using heap = mallard::counted<mallard::heap<>>;
template <class T, mallard::capability_mask Masked = expansion::none, class A = heap>
using alloc = mallard::expandable_allocator<T, A, Masked>;

std::array<my_int, 100> hundred() {
    std::array<my_int, 100> all;
    for (int i = 0; i != 100; ++i) {
        all.at(static_cast<std::size_t>(i)) = my_int(i);
    }
    return all;
}

class expandable_allocator_in_node_containers : public ::testing::Test {
protected:
    ~expandable_allocator_in_node_containers() override {
        EXPECT_EQ(h.mechanism().use().used_blocks, 0U);
        EXPECT_TRUE(h.mechanism().check_sanity().sound());
        EXPECT_EQ(h.counts().allocations, h.counts().deallocations);
    }

    /// Expects these counts since the last call.
    void expect_calls(std::size_t allocations, std::size_t bursts, std::size_t bursts_back) {
        const mallard::allocation_counts counts = h.counts();
        EXPECT_EQ(counts.allocations - last_counts_.allocations, allocations);
        EXPECT_EQ(counts.bursts - last_counts_.bursts, bursts);
        EXPECT_EQ(counts.bursts_back - last_counts_.bursts_back, bursts_back);
        last_counts_ = counts;
    }

    heap h;
    const std::array<my_int, 100> numbers = hundred();

private:
    mallard::allocation_counts last_counts_;
};

TEST_F(expandable_allocator_in_node_containers, a_list_takes_a_range_in_one_burst) {
    {
        bc::list<my_int, alloc<my_int>> l{alloc<my_int>(h)};
        l.push_back(my_int(-1));
        expect_calls(1, 0, 0);
        l.insert(l.begin(), numbers.begin(), numbers.end());
        expect_calls(100, 1, 0);
        EXPECT_EQ(l.back(), my_int(-1));
        EXPECT_TRUE(std::equal(numbers.begin(), numbers.end(), l.begin()));
        auto third = l.begin();
        std::advance(third, 3);
        l.erase(l.begin(), third);
        expect_calls(0, 0, 1);
        EXPECT_EQ(l.front(), my_int(3));
        l.pop_front();
        expect_calls(0, 0, 0);
        l.clear();
        expect_calls(0, 0, 1);
        l.assign(numbers.begin(), numbers.end());
        expect_calls(100, 1, 0);
    }
    expect_calls(0, 0, 1);
}

TEST_F(expandable_allocator_in_node_containers, ordered_ranges_build_sets_in_one_burst) {
    {
        bc::set<my_int, std::less<>, alloc<my_int>> s(bc::ordered_unique_range, numbers.begin(),
                                                      numbers.end(), std::less<>(), alloc<my_int>(h));
        expect_calls(100, 1, 0);
        EXPECT_TRUE(std::ranges::equal(s, numbers));
        s.insert(my_int(1000));
        expect_calls(1, 0, 0);
        s.erase(s.find(my_int(10)), s.find(my_int(20)));
        expect_calls(0, 0, 1);
        EXPECT_EQ(s.size(), 91U);

        std::vector<std::pair<int, my_int>> pairs;
        for (const my_int& n : numbers) {
            pairs.emplace_back(n.value(), n);
        }
        using value = std::pair<const int, my_int>;
        bc::map<int, my_int, std::less<>, alloc<value>> m(bc::ordered_unique_range, pairs.begin(),
                                                          pairs.end(), std::less<>(), alloc<value>(h));
        expect_calls(100, 1, 0);
        EXPECT_EQ(m.at(17), my_int(17));
        m[1000] = my_int(1);
        expect_calls(1, 0, 0);
        m.clear();
        expect_calls(0, 0, 1);
        bc::multimap<int, my_int, std::less<>, alloc<value>> many{alloc<value>(h)};
        for (int i = 0; i != 10; ++i) {
            many.emplace(5, my_int(i));
        }
        expect_calls(10, 0, 0);
        many.erase(5);
        expect_calls(0, 0, 1);
    }
    expect_calls(0, 0, 1);
}

TEST_F(expandable_allocator_in_node_containers, stable_vector_keeps_nodes_of_a_burst) {
    {
        bc::stable_vector<my_int, alloc<my_int>> v{alloc<my_int>(h)};
        v.reserve(100);
        EXPECT_EQ(h.counts().bursts, 1U);
        const std::size_t allocations = h.counts().allocations;
        EXPECT_GE(allocations, 101U) << "the nodes and what points to them";
        for (const my_int& n : numbers) {
            v.push_back(n);
        }
        EXPECT_EQ(h.counts().allocations, allocations);
        EXPECT_TRUE(std::ranges::equal(v, numbers));
        v.erase(v.begin() + 10, v.end());
        EXPECT_EQ(h.counts().bursts_back, 0U) << "it keeps them";
        v.shrink_to_fit();
        EXPECT_EQ(h.counts().bursts_back, 1U);
        EXPECT_EQ(v.back(), my_int(9));
        v.insert(v.begin() + 5, numbers.begin(), numbers.end());
        EXPECT_EQ(h.counts().bursts, 2U);
        EXPECT_EQ(v[5], my_int(0));
        EXPECT_EQ(v[105], my_int(5));
    }
}

TEST_F(expandable_allocator_in_node_containers, masked_bursts_allocate_nodes_one_by_one) {
    {
        using single = alloc<my_int, mallard::no_bursts>;
        bc::list<my_int, single> l{single(h)};
        l.insert(l.begin(), numbers.begin(), numbers.end());
        bc::stable_vector<my_int, single> v(numbers.begin(), numbers.end(), single(h));
        EXPECT_TRUE(std::ranges::equal(l, v));
        EXPECT_GE(h.counts().allocations, 200U);
        l.erase(l.begin(), l.end());
    }
    EXPECT_EQ(h.counts().bursts, 0U);
    EXPECT_EQ(h.counts().bursts_back, 0U);
}

#ifdef __cpp_exceptions

/// Throws when the last element is made.
class explosive {
public:
    explicit explosive(int value) : value_(value) { count_down(); }
    explosive(const explosive& other) : value_(other.value_) { count_down(); }
    explosive& operator=(const explosive&) = default;
    ~explosive() = default;

    static inline int countdown = 0;

private:
    static void count_down() {
        if (countdown != 0 && --countdown == 0) {
            throw std::runtime_error("made one too many");
        }
    }

    int value_;
};

/// Boost 1.74's stable_vector frees such a node and keeps it too, with every allocator.
TEST_F(expandable_allocator_in_node_containers, return_nodes_when_element_construction_throws) {
    // Since 1.79, Boost forgets the node whose element throws.
    constexpr std::size_t forgotten_by_throw = BOOST_VERSION < 107'900 ? 0 : 1;
    std::size_t forgotten = 0;
    heap nodes;
    explosive::countdown = 0;
    const std::vector<explosive> ten(10, explosive(1));
    for (int n = 1; n <= 10; ++n) {
        bc::list<explosive, alloc<explosive>> l{alloc<explosive>(nodes)};
        bc::slist<explosive, alloc<explosive>> sl{alloc<explosive>(nodes)};
        explosive::countdown = n;
        EXPECT_THROW(l.insert(l.begin(), ten.begin(), ten.end()), std::runtime_error);
        explosive::countdown = n;
        EXPECT_THROW(sl.insert_after(sl.before_begin(), ten.begin(), ten.end()), std::runtime_error);
        forgotten += 2 * forgotten_by_throw;
        EXPECT_EQ(nodes.mechanism().use().used_blocks, l.size() + sl.size() + forgotten);
    }
    EXPECT_EQ(nodes.mechanism().use().used_blocks, forgotten);
    EXPECT_EQ(nodes.counts().bursts, 20U);
}

#endif

#else

TEST(expandable_allocator_in_node_containers, needs_boost) {
    GTEST_SKIP() << EQUIPMENT_SAYS_THAT_BOOST_IS_MISSING;
}

#endif

} // namespace
