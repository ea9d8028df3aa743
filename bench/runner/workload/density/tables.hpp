/// The tables of Benchmark I under every binding, each defined in a separate file.
#pragma once

#include "runner/strategy/mechanisms.hpp"
#include "runner/workload/density/binding.hpp"

#include <mallard/adapt/counted.hpp>

#include <memory_resource>

namespace bench {

/// The empty handle of the global allocator.
struct global_handle {};

/// Counts the requests of a structure. It releases its memory at the end, so that it can be winked out.
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
const density_table<mallard::inline_resource>& density_table_for();
template <>
const density_table<null_source>& density_table_for();
template <>
const density_table<counting_source>& density_table_for();
template <>
const density_table<monotonic>& density_table_for();
template <>
const density_table<walked_monotonic>& density_table_for();
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
/// One of these orders is the default of the multipool.
template <>
const density_table<multipool_by<mallard::last_freed>>& density_table_for();
template <>
const density_table<multipool_by<mallard::first_freed>>& density_table_for();
template <>
const density_table<multipool_by<random_freed>>& density_table_for();

} // namespace bench
