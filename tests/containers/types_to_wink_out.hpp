/// Lists of types of every kind for both bindings: B::container<...> and B::string.
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
struct type_list {};

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

/// Has an allocator_type, as containers do, and a specialisation of mallard::winkable.
template <class B>
struct allocator_aware {
    using allocator_type = typename B::template allocator<char>;
    allocator_aware()
        requires std::default_initializable<allocator_type>
    = default;
    explicit allocator_aware(const allocator_type& a) : text(a) {}
    allocator_aware(const allocator_aware& other) : text(other.text) {}
    allocator_aware(const allocator_aware& other, const allocator_type& a) : text(other.text, a) {}
    allocator_aware& operator=(const allocator_aware&) = default;
    ~allocator_aware() = default;

    typename B::string text;
};

/// A class of strings without allocator_type.
template <class B>
struct allocator_unaware {
    typename B::string text;
};

/// Has a destructor without effect and a specialisation of mallard::winkable.
struct stated {
    stated() = default;
    stated(const stated&) = default;
    stated& operator=(const stated&) = default;
    ~stated() {}
    int number = 0;
};

/// Has a destructor without effect, but no specialisation.
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
        type_list<int, const int, double, char*, int[4], const int[4], int[2][3], plain, plain_and_final,
                  wide, std::array<int, 4>, std::array<S, 0>, std::optional<int>, std::variant<int, double>,
                  std::bitset<64>, std::complex<double>, std::string_view, std::span<int>,
                  std::pair<int, char>, std::tuple<int, char, double>, stated, std::optional<stated>,
                  std::pair<int, stated>>;

    using sequences =
        type_list<S, std::basic_string<wchar_t, std::char_traits<wchar_t>, A<wchar_t>>,
                  std::basic_string<char16_t, std::char_traits<char16_t>, A<char16_t>>, V<int>, V<bool>,
                  V<wide>, V<S>, const V<S>, D<S>, L<S>, std::forward_list<S, A<S>>, V<V<V<S>>>, L<D<S>>,
                  V<std::optional<int>>, V<std::variant<int, double>>, V<std::array<int, 3>>,
                  std::stack<S, D<S>>, std::queue<S, L<S>>, std::priority_queue<S, V<S>>,
                  V<std::stack<S, V<S>>>, V<allocator_aware<B>>, allocator_aware<B>, V<stated>>;

    using keyed = type_list<set<int>, set<S>, std::multiset<S, std::less<>, A<S>>,
                            std::unordered_set<S, hash, std::equal_to<>, A<S>>,
                            std::unordered_multiset<S, hash, std::equal_to<>, A<S>>, map<int, int>, map<S, S>,
                            std::multimap<int, S, std::less<>, A<std::pair<const int, S>>>, hashed<S, V<S>>,
                            std::unordered_multimap<S, S, hash, std::equal_to<>, A<std::pair<const S, S>>>,
                            map<int, std::array<char, 8>>, map<int, std::queue<S, D<S>>>, L<map<S, L<S>>>,
                            map<int, allocator_aware<B>>, hashed<S, map<int, S>>>;

    using pairs =
        type_list<std::pair<S, int>, std::pair<S, V<S>>, std::tuple<S, V<int>>, V<std::pair<int, S>>,
                  V<std::pair<S, S>>, V<std::tuple<int, S>>, V<std::tuple<std::tuple<S>, S>>,
                  V<std::pair<std::tuple<int, S>, S>>, V<std::tuple<std::queue<S, D<S>>, int>>,
                  map<int, std::tuple<S, S>>, set<std::pair<int, S>>, set<std::tuple<int, S>>,
                  std::pair<const S, int>, L<std::tuple<const S, int>>>;

    /// The standard passes the allocator on to these, but some libraries do not.
    using pairs_in_pairs =
        type_list<V<std::pair<std::pair<int, S>, S>>, V<std::pair<S, std::pair<S, int>>>,
                  map<std::pair<int, S>, int>, map<std::tuple<int, S>, int>, map<int, std::pair<int, S>>,
                  V<std::tuple<std::pair<int, S>>>, std::tuple<std::pair<S, int>, int>>;

    /// These do not pass the allocator on.
    using leaking =
        type_list<V<std::optional<S>>, V<std::variant<int, S>>, std::optional<S>, std::variant<int, S>,
                  map<int, std::optional<S>>, std::stack<std::optional<S>, D<std::optional<S>>>,
                  std::pair<int, std::optional<V<int>>>, std::tuple<int, std::variant<int, S>>,
                  V<std::optional<std::pair<int, S>>>, std::optional<allocator_aware<B>>,
                  V<std::optional<D<int>>>>;

    /// These leak if they are default-constructed, because nothing passes them the allocator.
    using leaking_by_default =
        type_list<V<std::array<S, 2>>, std::array<S, 2>, S[2], S[2][2], map<int, std::array<S, 2>>,
                  std::optional<std::array<S, 1>>, allocator_unaware<B>, V<allocator_unaware<B>>,
                  map<int, allocator_unaware<B>>>;

    /// These use no mallard allocator.
    using foreign =
        type_list<std::string, std::vector<int>, V<std::string>, V<std::pair<int, std::vector<S>>>,
                  map<int, std::string>, std::map<int, int>, std::stack<int>>;
};

} // namespace containers
