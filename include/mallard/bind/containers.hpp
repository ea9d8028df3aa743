/// Short names of the standard containers in memory of an allocator. mallard.hpp does not include them, because their headers
/// take long to compile.
///
///     mallard::multipool<> pool;
///     mallard::list<int, mallard::multipool<>> numbers{pool};
///
///     struct nodes : mallard::per_thread<nodes, mallard::multipool<>> {};
///     mallard::map<int, mallard::string<nodes>, nodes> names;
///
/// `A` is a mechanism, and the container has an allocator<T, A>; or a tag, and it has a static_allocator<T, A>; by default it is
/// the inline base, for all mechanisms.
#pragma once

#include <mallard/bind/allocator.hpp>
#include <mallard/bind/inline_resource.hpp>
#include <mallard/bind/static_allocator.hpp>
#include <mallard/core/build_mode.hpp>
#include <mallard/core/concepts.hpp>

#include <deque>
#include <forward_list>
#include <functional>
#include <list>
#include <map>
#include <set>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace mallard::bind { inline namespace MALLARD_MODE {

template <class T, class A>
struct container_allocator {
    using type = allocator<T, A>;
};
template <class T, pool_tag A>
struct container_allocator<T, A> {
    using type = static_allocator<T, A>;
};
template <class T, class A>
using container_allocator_t = typename container_allocator<T, A>::type;

}} // namespace mallard::bind::MALLARD_MODE

namespace mallard { inline namespace MALLARD_MODE {

template <class T, class A = inline_resource>
using vector = std::vector<T, bind::container_allocator_t<T, A>>;
template <class T, class A = inline_resource>
using deque = std::deque<T, bind::container_allocator_t<T, A>>;
template <class T, class A = inline_resource>
using list = std::list<T, bind::container_allocator_t<T, A>>;
template <class T, class A = inline_resource>
using forward_list = std::forward_list<T, bind::container_allocator_t<T, A>>;
template <class A = inline_resource>
using string = std::basic_string<char, std::char_traits<char>, bind::container_allocator_t<char, A>>;

template <class K, class A = inline_resource, class Compare = std::less<K>>
using set = std::set<K, Compare, bind::container_allocator_t<K, A>>;
template <class K, class A = inline_resource, class Compare = std::less<K>>
using multiset = std::multiset<K, Compare, bind::container_allocator_t<K, A>>;
template <class K, class V, class A = inline_resource, class Compare = std::less<K>>
using map = std::map<K, V, Compare, bind::container_allocator_t<std::pair<const K, V>, A>>;
template <class K, class V, class A = inline_resource, class Compare = std::less<K>>
using multimap = std::multimap<K, V, Compare, bind::container_allocator_t<std::pair<const K, V>, A>>;

template <class K, class A = inline_resource, class Hash = std::hash<K>, class Equal = std::equal_to<K>>
using unordered_set = std::unordered_set<K, Hash, Equal, bind::container_allocator_t<K, A>>;
template <class K, class A = inline_resource, class Hash = std::hash<K>, class Equal = std::equal_to<K>>
using unordered_multiset = std::unordered_multiset<K, Hash, Equal, bind::container_allocator_t<K, A>>;
template <class K, class V, class A = inline_resource, class Hash = std::hash<K>,
          class Equal = std::equal_to<K>>
using unordered_map =
    std::unordered_map<K, V, Hash, Equal, bind::container_allocator_t<std::pair<const K, V>, A>>;
template <class K, class V, class A = inline_resource, class Hash = std::hash<K>,
          class Equal = std::equal_to<K>>
using unordered_multimap =
    std::unordered_multimap<K, V, Hash, Equal, bind::container_allocator_t<std::pair<const K, V>, A>>;

}} // namespace mallard::MALLARD_MODE
