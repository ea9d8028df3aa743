/// Declarations of the mechanisms that take chunks from an upstream and have no other policy: their default arguments are
/// here alone. mallard/fwd.hpp has the declarations of the other names.
#pragma once

#include <mallard/core/build_mode.hpp>
#include <mallard/core/concepts.hpp>
#include <mallard/upstream/chunk_cache.hpp>

namespace mallard { inline namespace MALLARD_MODE {

/// Slabs that are divided into sub-slabs keep to an overhead. Whole slabs keep to none: they need their size as alignment,
/// and a deallocation of an adaptive_pool reads a word less.
enum class slab_shape { divided, undivided };

template <upstream Upstream = chunk_cache, slab_shape Shape = slab_shape::divided>
class adaptive_pool;
template <upstream Upstream = chunk_cache>
class concurrent_monotonic;
template <upstream Upstream = chunk_cache>
class concurrent_multipool;
template <upstream Upstream = chunk_cache>
class heap;
template <upstream Upstream = chunk_cache>
class monotonic;
template <upstream Upstream = chunk_cache>
class small_object_pool;

}} // namespace mallard::MALLARD_MODE
