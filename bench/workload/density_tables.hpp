/// Benchmark I under every binding; each table is made in the file of the same name.
#pragma once

#include "bench/strategy/mechanisms.hpp"
#include "bench/workload/density_binding.hpp"

#include <mallard/adapt/counted.hpp>

#include <memory_resource>

namespace bench {

/// The global allocator needs no handle; this stands in its place.
struct global_handle {};

/// Counts what a structure asks for; winks too, because the memory goes back when the counting is done.
using counting_source = mallard::counted<mallard::monotonic<>>;

/// The mechanisms whose chunks come from the global heap (Benchmark V).
using heap_monotonic = mallard::monotonic<mallard::new_delete>;
using heap_multipool = mallard::multipool<mallard::new_delete>;
using heap_local_heap = mallard::heap<mallard::new_delete>;
using heap_multipool_over_monotonic = mallard::multipool<heap_monotonic>;

template <>
const density_table<global_handle>& density_table_for();
template <>
const density_table<std::pmr::memory_resource>& density_table_for();
template <>
const density_table<null_source>& density_table_for();
template <>
const density_table<counting_source>& density_table_for();
template <>
const density_table<monotonic>& density_table_for();
template <>
const density_table<multipool_over_monotonic>& density_table_for();
template <>
const density_table<local_heap>& density_table_for();
template <>
const density_table<heap_monotonic>& density_table_for();
template <>
const density_table<heap_local_heap>& density_table_for();
template <>
const density_table<heap_multipool>& density_table_for();
template <>
const density_table<heap_multipool_over_monotonic>& density_table_for();
/// One of these is the usual multipool.
template <>
const density_table<multipool_by<mallard::last_freed>>& density_table_for();
template <>
const density_table<multipool_by<mallard::first_freed>>& density_table_for();
template <>
const density_table<multipool_by<mallard::lowest_address>>& density_table_for();
template <>
const density_table<multipool_by<mallard::hybrid_reuse>>& density_table_for();
template <>
const density_table<multipool_by<random_freed>>& density_table_for();

} // namespace bench
