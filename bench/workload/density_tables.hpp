/// Benchmark I under every binding; each table is made in the file of the same name.
#pragma once

#include "bench/strategy/null_source.hpp"
#include "bench/workload/density_binding.hpp"

#include <mallard/adapt/counted.hpp>
#include <mallard/local/monotonic.hpp>
#include <mallard/local/multipool.hpp>

#include <memory_resource>

namespace bench {

/// The global allocator needs no handle; this stands in its place.
struct global_handle {};

/// Counts what a structure asks for; winks too, because the memory goes back when the counting is done.
using counting_source = mallard::counted<mallard::monotonic<>>;

extern const density_table<global_handle> density_global;
extern const density_table<std::pmr::memory_resource> density_abstract;
extern const density_table<mallard::monotonic<>> density_monotonic;
extern const density_table<mallard::multipool<>> density_multipool;
extern const density_table<mallard::multipool<mallard::monotonic<>>> density_multipool_over_monotonic;
extern const density_table<null_source> density_null;
extern const density_table<counting_source> density_counted;

} // namespace bench
