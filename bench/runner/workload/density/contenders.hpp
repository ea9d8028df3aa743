/// Benchmark I under the contenders that serve any container. Contenders with std::pmr's abstract base use the table
/// of that base. Each other table is defined in contender/density_NAME.cpp, one file for each library.
#pragma once

#include "runner/strategy/sources.hpp"
#include "runner/workload/density/binding.hpp"

namespace bench {

/// The empty handle of an allocator with one instance for the process.
template <mechanism_kind Kind>
struct process_wide {};

/// The binding by type to such an allocator.
template <mechanism_kind Kind>
struct process_wide_binding {
    using handle = process_wide<Kind>;
    template <class T>
    using alloc = typename source_traits<Kind>::template allocator<T>;

    template <class T>
    static alloc<T> get(handle&) noexcept {
        return {};
    }
};

/// Effects: constructs the contender of `kind`, over `buffer` if it takes one, calls `use` with the handle of its
/// table, and destroys it.
template <class Use>
void with_contender(mechanism_kind kind, std::span<std::byte> buffer, Use&& use) {
    with_kind(kind, [&]<mechanism_kind Kind>() {
        if constexpr (serves_containers_by_type<Kind>) {
            process_wide<Kind> handle;
            use(handle);
        } else if constexpr (serves_any_size<Kind> && !is_library_pool(Kind) && !is_in_a_region(Kind)) {
            with_registered_source<Kind>(buffer, block_shape(), use);
        } else {
            std::abort(); // has_density() refuses these
        }
    });
}

#if BENCH_HAS_BOOST_POOL
template <>
const density_table<process_wide<mechanism_kind::boost_fast_pool>>& density_table_for();
#endif
#if BENCH_HAS_BOOST_CONTAINER
template <>
const density_table<boost_resource>& density_table_for();
template <>
const density_table<process_wide<mechanism_kind::boost_adaptive_pool>>& density_table_for();
template <>
const density_table<process_wide<mechanism_kind::boost_node>>& density_table_for();
template <>
const density_table<process_wide<mechanism_kind::boost_allocator>>& density_table_for();
#endif
#if BENCH_HAS_FOONATHAN
template <>
const density_table<foonathan_collection_source>& density_table_for();
template <>
const density_table<foonathan_stack_source>& density_table_for();
template <>
const density_table<foonathan_temporary_source>& density_table_for();
#endif
#if BENCH_HAS_LOKI
template <>
const density_table<loki_source>& density_table_for();
#endif
#if BENCH_HAS_MIMALLOC
template <>
const density_table<mimalloc_heap_source>& density_table_for();
#endif

} // namespace bench
