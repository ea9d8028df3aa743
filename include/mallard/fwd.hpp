/// Forward declarations, for a header that names an allocator in a pointer, a reference or a function's declaration:
///
///     #include <mallard/fwd.hpp>
///     void parse(std::string_view text, mallard::monotonic<>& memory);
///
/// Left out are templates whose constraints look into their arguments, which must be complete where they are named:
/// allocator, resource and the other bindings, fixed_pool and its arenas, fallback, the typed interface; synchronized and
/// retrying, for their second arguments; and named, which has two forms. A function takes an inline_resource& in place of a resource<A>&.
#pragma once

#include <mallard/core/build_mode.hpp>
#include <mallard/core/concepts.hpp>
#include <mallard/local/fwd.hpp>
#include <mallard/reuse/hybrid_order.hpp>
#include <mallard/reuse/order.hpp>
#include <mallard/reuse/size_classes.hpp>
#include <mallard/upstream/chunk_cache.hpp>

#include <cstddef>

namespace mallard { inline namespace MALLARD_LIBRARY {

class inline_resource;
class pages;

}} // namespace mallard::MALLARD_LIBRARY

namespace mallard { inline namespace MALLARD_MODE {

template <upstream Upstream = chunk_cache, reuse_order Reuse = hybrid_order,
          size_class_policy Classes = eighth_classes>
class multipool;

/// The pool that gives empty chunks back, for sizes that come in waves or drift.
template <upstream Upstream = chunk_cache, reuse_order Reuse = hybrid_order>
using shrinking_multipool = multipool<Upstream, Reuse, shrinking_classes>;

/// The pool of few sizes, each twice the one before it (Optimized C++, chapter 13).
template <upstream Upstream = chunk_cache, reuse_order Reuse = hybrid_order>
using fast_fit = multipool<Upstream, Reuse, power_of_two_classes>;

template <class A>
class checked;
template <class A>
class counted;
template <class A>
class failing;
template <class A>
class limited;
template <class A>
class recorded;
template <class A>
class sealed;
template <std::size_t LargestSmall, class Small, class Large>
class segregate;

class buffer;
class new_delete;
class region_heap;
class upstream_ref;

}} // namespace mallard::MALLARD_MODE
