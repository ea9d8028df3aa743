/// The contenders that this build has, each registered by its file (strategy/source_of.hpp).
#pragma once

#include "bench/strategy/contender/standard_pmr.hpp"
#if BENCH_HAS_BOOST_POOL
#include "bench/strategy/contender/boost_fast_pool.hpp"
#include "bench/strategy/contender/boost_object_pool.hpp"
#include "bench/strategy/contender/boost_pool.hpp"
#endif
#if BENCH_HAS_BOOST_CONTAINER
#include "bench/strategy/contender/boost_adaptive_pool.hpp"
#include "bench/strategy/contender/boost_allocator.hpp"
#include "bench/strategy/contender/boost_node.hpp"
#include "bench/strategy/contender/boost_pmr.hpp"
#endif
#if BENCH_HAS_BOOST_INTERPROCESS
#include "bench/strategy/contender/boost_interprocess.hpp"
#endif
#if BENCH_HAS_FOONATHAN
#include "bench/strategy/contender/foonathan_collection.hpp"
#include "bench/strategy/contender/foonathan_pool.hpp"
#include "bench/strategy/contender/foonathan_stack.hpp"
#include "bench/strategy/contender/foonathan_temporary.hpp"
#endif
#if BENCH_HAS_LOKI
#include "bench/strategy/contender/loki.hpp"
#endif
#if BENCH_HAS_MIMALLOC
#include "bench/strategy/contender/mimalloc_heap.hpp"
#endif
