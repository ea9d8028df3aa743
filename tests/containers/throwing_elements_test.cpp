// Elements whose k-th copy throws, for every k. Each container then holds the same elements as its twin on standard
// resources, and leaks no element and no memory.
#include "containers/places.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory_resource>
#include <set>
#include <string>
#include <type_traits>
#include <unordered_set>
#include <utility>
#include <vector>

#ifdef __cpp_exceptions

namespace {

using namespace containers;

struct cannot_copy {};

class fragile {
public:
    explicit fragile(int number) : number_(number) { ++living; }
    fragile(const fragile& other) : number_(other.number_) {
        if (copies_until_throw != 0 && --copies_until_throw == 0) {
            throw cannot_copy();
        }
        ++living;
    }
    fragile& operator=(const fragile& other) {
        if (copies_until_throw != 0 && --copies_until_throw == 0) {
            throw cannot_copy();
        }
        number_ = other.number_;
        return *this;
    }
    ~fragile() { --living; }

    auto operator<=>(const fragile&) const = default;
    [[nodiscard]] int number() const { return number_; }

    static inline int living = 0;
    static inline int copies_until_throw = 0; ///< 0: no copy throws

private:
    int number_;
};

struct hash_of_fragile {
    std::size_t operator()(const fragile& f) const { return static_cast<std::size_t>(f.number()); }
};

template <class C>
C make_container(std::pmr::memory_resource& r) {
    if constexpr (std::is_constructible_v<typename C::allocator_type, std::pmr::memory_resource*>) {
        return C(typename C::allocator_type(&r));
    } else {
        return C(typename C::allocator_type(r));
    }
}

template <class E>
int to_number(const E& e) {
    if constexpr (requires { e.second; }) {
        return e.first * 1000 + e.second.number();
    } else {
        return e.number();
    }
}

template <class C>
void put(C& c, int number) {
    const fragile made(number);
    if constexpr (requires { typename C::mapped_type; }) {
        c.emplace(number, made);
    } else if constexpr (requires { c.push_back(made); }) {
        c.push_back(made);
        c.insert(c.begin(), made);
    } else {
        c.insert(made);
    }
}

/// A container's operations on elements, until one throws.
template <class C>
void work(C& one, C& other) {
    for (int i = 0; i < 6; ++i) {
        put(one, i);
    }
    other = one;
    put(other, 100);
#ifdef _LIBCPP_VERSION // loses the elements moved to another allocator when the next move throws
    C moved(std::move(other), other.get_allocator());
#else
    C moved(std::move(other), one.get_allocator()); // element by element if the allocators differ
#endif
    one = moved;
    other.clear();
    other = std::move(one);
    put(other, 7);
}

/// Returns: the numbers in both containers after the k-th copy threw, and whether it threw.
template <class C>
std::pair<std::vector<int>, bool> run_with_failing_copy(int k, std::pmr::memory_resource& r,
                                                        std::pmr::memory_resource& s) {
    std::vector<int> numbers;
    bool thrown = false;
    C one = make_container<C>(r);
    C other = make_container<C>(s);
    fragile::copies_until_throw = k;
    try {
        work(one, other);
    } catch (const cannot_copy&) {
        thrown = true;
    }
    fragile::copies_until_throw = 0;
    for (const C* c : {&one, &other}) {
        for (const auto& e : *c) {
            numbers.push_back(to_number(e));
        }
        numbers.push_back(-1);
    }
    return {numbers, thrown};
}

/// C by one binding, and Twin by std::pmr on standard resources. Both pairs of allocators are unequal, so that moves copy
/// elements.
template <class C, class Twin>
void break_every_copy() {
    for (const place& kind : places()) {
        SCOPED_TRACE(kind.name);
        bool thrown = true;
        for (int k = 1; thrown; ++k) {
            ASSERT_LT(k, 500);
            equipment::ledger source;
            {
                const auto one = kind.make(source);
                const auto other = kind.make(source);
                std::pmr::unsynchronized_pool_resource standard;
                const auto tested = run_with_failing_copy<C>(k, *one, *other);
                EXPECT_EQ(tested, run_with_failing_copy<Twin>(k, standard, *std::pmr::new_delete_resource()))
                    << "copy " << k;
                thrown = tested.second;
            }
            EXPECT_EQ(fragile::living, 0) << "copy " << k;
            EXPECT_EQ(source.outstanding(), 0U) << "copy " << k;
            EXPECT_EQ(source.complaints(), equipment::no_complaints) << "copy " << k;
        }
    }
}

template <template <class> class Container, bool ByBase = MALLARD_THOROUGH>
void break_both() {
    if constexpr (ByBase) {
        break_every_copy<Container<by_base>, Container<by_base>>();
    }
    break_every_copy<Container<by_type>, Container<by_base>>();
}

template <class B>
using alloc = typename B::template allocator<fragile>;
template <class B>
using vector = std::vector<fragile, alloc<B>>;
template <class B>
using deque = std::deque<fragile, alloc<B>>;
template <class B>
using list = std::list<fragile, alloc<B>>;
template <class B>
using multiset = std::multiset<fragile, std::less<>, alloc<B>>;
template <class B>
using hashed = std::unordered_multiset<fragile, hash_of_fragile, std::equal_to<>, alloc<B>>;
template <class B>
using map =
    std::map<int, fragile, std::less<>, typename B::template allocator<std::pair<const int, fragile>>>;

TEST(throwing_elements, in_vectors) {
    break_both<vector, true>();
}
TEST(throwing_elements, in_deques) {
    break_both<deque>();
}
TEST(throwing_elements, in_lists) {
    break_both<list>();
}
TEST(throwing_elements, in_sets) {
    break_both<multiset>();
}
TEST(throwing_elements, in_hashed_sets) {
    break_both<hashed>();
}
TEST(throwing_elements, in_maps) {
    break_both<map>();
}

} // namespace

#endif
