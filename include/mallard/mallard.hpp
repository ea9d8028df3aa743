/// All of mallard.
#pragma once

#include <mallard/adapt/checked.hpp>
#include <mallard/adapt/counted.hpp>
#include <mallard/adapt/failing.hpp>
#include <mallard/adapt/limited.hpp>
#include <mallard/adapt/synchronized.hpp>
#include <mallard/bind/allocator.hpp>
#include <mallard/bind/fixed_block_allocator.hpp>
#include <mallard/bind/pool_tag.hpp>
#include <mallard/bind/pooled.hpp>
#include <mallard/bind/resource.hpp>
#include <mallard/bind/static_allocator.hpp>
#include <mallard/core/burst.hpp>
#include <mallard/lifetime/checkpoint.hpp>
#include <mallard/lifetime/wink_out.hpp>
#include <mallard/local/adaptive_pool.hpp>
#include <mallard/local/arenas.hpp>
#include <mallard/local/concurrent_multipool.hpp>
#include <mallard/local/fixed_pool.hpp>
#include <mallard/local/monotonic.hpp>
#include <mallard/local/multipool.hpp>
#include <mallard/local/small_object_pool.hpp>
#include <mallard/upstream/buffer.hpp>
#include <mallard/upstream/chunk_cache.hpp>
#include <mallard/upstream/new_delete.hpp>
#include <mallard/upstream/pages.hpp>
