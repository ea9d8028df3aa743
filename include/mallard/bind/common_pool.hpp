/// The pool of classes and strings that name none: pooled<T> and fixed_string<BlockBytes> take from it.
///
///     std::list<int, mallard::static_allocator<int, mallard::common_pool>> numbers;     nodes from it too
///
/// Data model: one concurrent_multipool for the program. Any thread frees the blocks of any other, and a block outlives
/// the thread that allocated it. Its users share chunks and magazines, so that a thread needs one cache for all of them
/// (impl/threads/thread_cache.hpp has the number of caches).
/// Invariants: the pool never ends. release() ends the blocks of all of its users, so a program that releases the memory of
/// a class names a pool for it.
#pragma once

#include <mallard/bind/pool_tag.hpp>
#include <mallard/core/build_mode.hpp>
#include <mallard/local/concurrent_multipool.hpp>

namespace mallard { inline namespace MALLARD_MODE {

struct common_pool : shared_by_threads<common_pool, concurrent_multipool<>> {};

}} // namespace mallard::MALLARD_MODE
