/// The default order of reuse: first freed first while all blocks of a pool have one size, and last freed first among several.
///
/// Data model: the unrolled queue of reuse/first_freed.hpp for the only class, and the stacks of reuse/last_freed.hpp in the
/// table of several.
///
/// A structure of one size that changes for long keeps its elements in the order of their addresses, and its queue waits for
/// no link. Among several sizes the queue's rare cases come at random, and programs allocate what they freed a moment ago
/// (docs/benchmark/reuse.md).
#pragma once

#include <mallard/core/build_mode.hpp>
#include <mallard/reuse/first_freed.hpp>
#include <mallard/reuse/free_list.hpp>
#include <mallard/reuse/free_lists.hpp>
#include <mallard/reuse/last_freed.hpp>
#include <mallard/reuse/order.hpp>
#include <mallard/reuse/size_classes.hpp>

namespace mallard { inline namespace MALLARD_LIBRARY {

struct hybrid_order {
    template <size_class_policy Classes>
    using by_class = reuse::free_lists<reuse::first_freed_links, reuse::linked_stack, Classes>;
    using of_one_size = reuse::free_list<reuse::first_freed_links>;
    template <std::size_t Bytes>
    using of_static_size = reuse::free_list<reuse::first_freed_links, reuse::static_size<Bytes>>;
};

static_assert(reuse_order<hybrid_order>);

}} // namespace mallard::MALLARD_LIBRARY
