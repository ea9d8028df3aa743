/// Types of every kind in lists, written once for both bindings: B::container<...> and B::string.
#pragma once

#include <array>
#include <bitset>
#include <complex>
#include <concepts>
#include <deque>
#include <forward_list>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <queue>
#include <set>
#include <span>
#include <stack>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

namespace containers {

template <class... Ts>
struct list_of {};

struct hash {
    template <class T>
    std::size_t operator()(const T& text) const {
        return text.size();
    }
};

struct plain {
    int number;
    double fraction;
};
struct plain_and_final final {
    char letters[3];
};
struct alignas(128) wide {
    int number;
};

/// Names its allocator, as containers do, and says that it is winkable.
template <class B>
struct told {
    using allocator_type = typename B::template allocator<char>;
    told()
        requires std::default_initializable<allocator_type>
    = default;
    explicit told(const allocator_type& a) : text(a) {}
    told(const told& other) : text(other.text) {}
    told(const told& other, const allocator_type& a) : text(other.text, a) {}
    told& operator=(const told&) = default;
    ~told() = default;

    typename B::string text;
};

/// A class of strings without allocator_type.
template <class B>
struct untold {
    typename B::string text;
};

/// The destructor has nothing to do, and the program says so.
struct stated {
    stated() = default;
    stated(const stated&) = default;
    stated& operator=(const stated&) = default;
    ~stated() {}
    int number = 0;
};

/// The destructor has nothing to do, and the program does not say so.
struct not_stated {
    not_stated() = default;
    not_stated(const not_stated&) = default;
    not_stated& operator=(const not_stated&) = default;
    ~not_stated() {}
    int number = 0;
};

template <class B>
struct types {
    using S = typename B::string;
    template <class T>
    using A = typename B::template allocator<T>;
    template <class T>
    using V = std::vector<T, A<T>>;
    template <class T>
    using D = std::deque<T, A<T>>;
    template <class T>
    using L = std::list<T, A<T>>;
    template <class K>
    using set = std::set<K, std::less<>, A<K>>;
    template <class K, class T>
    using map = std::map<K, T, std::less<>, A<std::pair<const K, T>>>;
    template <class K, class T>
    using hashed = std::unordered_map<K, T, hash, std::equal_to<>, A<std::pair<const K, T>>>;

    using values =
        list_of<int, const int, double, char*, int[4], const int[4], int[2][3], plain, plain_and_final, wide,
                std::array<int, 4>, std::array<S, 0>, std::optional<int>, std::variant<int, double>,
                std::bitset<64>, std::complex<double>, std::string_view, std::span<int>, std::pair<int, char>,
                std::tuple<int, char, double>, stated, std::optional<stated>, std::pair<int, stated>>;

    using sequences =
        list_of<S, std::basic_string<wchar_t, std::char_traits<wchar_t>, A<wchar_t>>,
                std::basic_string<char16_t, std::char_traits<char16_t>, A<char16_t>>, V<int>, V<bool>,
                V<wide>, V<S>, const V<S>, D<S>, L<S>, std::forward_list<S, A<S>>, V<V<V<S>>>, L<D<S>>,
                V<std::optional<int>>, V<std::variant<int, double>>, V<std::array<int, 3>>,
                std::stack<S, D<S>>, std::queue<S, L<S>>, std::priority_queue<S, V<S>>,
                V<std::stack<S, V<S>>>, V<told<B>>, told<B>, V<stated>>;

    using keyed = list_of<set<int>, set<S>, std::multiset<S, std::less<>, A<S>>,
                          std::unordered_set<S, hash, std::equal_to<>, A<S>>,
                          std::unordered_multiset<S, hash, std::equal_to<>, A<S>>, map<int, int>, map<S, S>,
                          std::multimap<int, S, std::less<>, A<std::pair<const int, S>>>, hashed<S, V<S>>,
                          std::unordered_multimap<S, S, hash, std::equal_to<>, A<std::pair<const S, S>>>,
                          map<int, std::array<char, 8>>, map<int, std::queue<S, D<S>>>, L<map<S, L<S>>>,
                          map<int, told<B>>, hashed<S, map<int, S>>>;

    using pairs = list_of<std::pair<S, int>, std::pair<S, V<S>>, std::tuple<S, V<int>>, V<std::pair<int, S>>,
                          V<std::pair<S, S>>, V<std::tuple<int, S>>, V<std::tuple<std::tuple<S>, S>>,
                          V<std::pair<std::tuple<int, S>, S>>, V<std::tuple<std::queue<S, D<S>>, int>>,
                          map<int, std::tuple<S, S>>, set<std::pair<int, S>>, set<std::tuple<int, S>>,
                          std::pair<const S, int>, L<std::tuple<const S, int>>>;

    /// The standard hands the allocator down to these; one library or the other does not.
    using pairs_in_pairs =
        list_of<V<std::pair<std::pair<int, S>, S>>, V<std::pair<S, std::pair<S, int>>>,
                map<std::pair<int, S>, int>, map<std::tuple<int, S>, int>, map<int, std::pair<int, S>>,
                V<std::tuple<std::pair<int, S>>>, std::tuple<std::pair<S, int>, int>>;

    /// These do not hand it down.
    using leaking =
        list_of<V<std::optional<S>>, V<std::variant<int, S>>, std::optional<S>, std::variant<int, S>,
                map<int, std::optional<S>>, std::stack<std::optional<S>, D<std::optional<S>>>,
                std::pair<int, std::optional<V<int>>>, std::tuple<int, std::variant<int, S>>,
                V<std::optional<std::pair<int, S>>>, std::optional<told<B>>, V<std::optional<D<int>>>>;

    /// These leak if they are made without arguments; nothing hands them the allocator.
    using leaking_by_default =
        list_of<V<std::array<S, 2>>, std::array<S, 2>, S[2], S[2][2], map<int, std::array<S, 2>>,
                std::optional<std::array<S, 1>>, untold<B>, V<untold<B>>, map<int, untold<B>>>;

    /// These take no allocator of mallard's at all.
    using foreign = list_of<std::string, std::vector<int>, V<std::string>, V<std::pair<int, std::vector<S>>>,
                            map<int, std::string>, std::map<int, int>, std::stack<int>>;
};

} // namespace containers
