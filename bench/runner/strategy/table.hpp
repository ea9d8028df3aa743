/// The strategies as one table: mechanism x binding x destruction (P0089R1, table 1), null, the global
/// allocator with its page return switched off, the multipool's orders of reuse, allocators that threads share, the
/// library's other pools and heaps, the vectors that grow in place, and the contenders. The list is in
/// strategy/strategies.def.
#pragma once

#include "runner/harness/arguments.hpp"
#include "runner/harness/json.hpp"
#include "runner/harness/row.hpp"
#include "runner/strategy/mechanism_table.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace bench {

enum class binding_kind { type_parameter, abstract_base, inline_base };
enum class destruction_kind { normal, winked_out };

/// The order in which a pool reuses freed blocks (mallard/reuse/order.hpp).
enum class reuse_kind { standard, last_freed, first_freed, random };

/// What a pool that lives as long as the process has served before: the blocks of a history (history/history.hpp).
enum class pool_past { none, aged, tidied };

/// A boost::container::vector with an allocator of one of the versions of N1953 and N2045: the first is the
/// standard's; the second supports preferred and received sizes, and grows and shrinks blocks in place.
enum class vector_version { none, first, second_masked, second };

struct strategy {
    std::string_view name;
    mechanism_kind mechanism;
    binding_kind binding;
    destruction_kind destruction;
    reuse_kind reuse = reuse_kind::standard;
    bool bursts = false; ///< requests ranges of blocks at once
    vector_version version = vector_version::none;
    pool_past past = pool_past::none;
    bool locked = false;     ///< one lock for all calls, although one thread makes them (P0089R1, section 4)
    bool contiguous = false; ///< the blocks of a burst lie side by side

    [[nodiscard]] bool can(capability wanted) const noexcept { return has(find_row(mechanism).can, wanted); }

    [[nodiscard]] bool uses_buffer() const noexcept { return can(capability::takes_buffer); }

    /// True for a mechanism that is constructed for one structure, unlike the global allocator.
    [[nodiscard]] bool has_own_allocator() const noexcept { return can(capability::own); }

    /// True for mallard's allocators for all threads.
    [[nodiscard]] bool is_shared() const noexcept {
        return mechanism == mechanism_kind::shared_synchronized ||
               mechanism == mechanism_kind::shared_concurrent;
    }

    [[nodiscard]] bool is_contender() const noexcept { return find_library(mechanism) != nullptr; }

    /// True if it is not a source of blocks, but a class, a string or a container with its memory by type.
    [[nodiscard]] bool is_bound_to_a_type() const noexcept {
        return mechanism == mechanism_kind::class_new || mechanism == mechanism_kind::fixed_string ||
               mechanism == mechanism_kind::static_multipool || mechanism == mechanism_kind::c_realloc;
    }

    /// True if it serves blocks of any structure: not a vector with its own allocation, nor a region of a computed
    /// size.
    [[nodiscard]] bool is_for_everything() const noexcept {
        return version == vector_version::none && !is_in_a_region(mechanism);
    }

    /// Returns: the library whose containers it needs; null if it serves any container.
    [[nodiscard]] const library_row* library_of_container() const noexcept {
        return version == vector_version::none ? nullptr : find_library(library_kind::boost_container);
    }

    /// Returns: a library that the strategy needs and this build lacks; null if there is none.
    [[nodiscard]] const library_row* missing_library() const noexcept {
        for (const library_row* needed : {find_library(mechanism), library_of_container()}) {
            if (needed != nullptr && !needed->built) {
                return needed;
            }
        }
        return nullptr;
    }

    [[nodiscard]] bool is_built() const noexcept { return missing_library() == nullptr; }

    /// False for strategies that are compiled for the sizes of nodes.
    [[nodiscard]] bool serves_large_blocks() const noexcept {
        return find_row(mechanism).largest_block == SIZE_MAX;
    }

    /// True if each request is one block, and neither the C library nor a mechanism is modified or aged.
    [[nodiscard]] bool is_plain() const noexcept {
        return !bursts && past == pool_past::none && !locked && !is_shared() && !is_bound_to_a_type() &&
               is_for_everything() && mechanism != mechanism_kind::global_kept &&
               mechanism != mechanism_kind::monotonic_walked;
    }

    /// True for strategies of the papers, other pools and contenders that run destructors: the strategies of
    /// experiments that free every block.
    [[nodiscard]] bool frees_every_block() const noexcept {
        return is_plain() && destruction == destruction_kind::normal && reuse == reuse_kind::standard;
    }
};

/// Returns: the strategies of this build.
[[nodiscard]] std::span<const strategy> strategies() noexcept;

[[nodiscard]] std::string_view to_text(binding_kind kind) noexcept;
[[nodiscard]] std::string_view to_text(destruction_kind kind) noexcept;
[[nodiscard]] std::string_view to_text(reuse_kind kind) noexcept;
[[nodiscard]] std::string_view to_text(vector_version version) noexcept;
[[nodiscard]] std::string_view to_text(pool_past past) noexcept;

/// True if an experiment has the strategy.
using strategy_filter = bool (*)(const strategy&);

/// Effects: reads --strategy, one of the `offered` ones, and writes its name into `options`.
/// Throws: usage_error.
[[nodiscard]] strategy choose_strategy(arguments& args, run_options& options, strategy_filter offered);

/// Returns: the names of the `offered` strategies.
[[nodiscard]] std::vector<std::string> strategy_names(strategy_filter offered);

/// Throws: usage_error if --strategy is a contender that this build lacks.
void refuse_missing(arguments& args);

/// Throws: usage_error if `s` is compiled for smaller blocks only.
void refuse_unserved(const strategy& s, std::size_t block_bytes);

/// The listing of the library's other pools in the description of an experiment.
enum class pool_listing { variants, strategies };

/// Effects: writes the member "strategies" of the object that describes an experiment.
void describe_strategies(json_writer& json, strategy_filter offered,
                         pool_listing pools = pool_listing::variants);

/// Effects: writes the members "libraries" and "strategies", each with its description, including those that this
/// build lacks.
void describe_registry(json_writer& json);

/// Effects: writes the members "missing", the libraries of contenders that are missing, and "with", the ones below a
/// prefix with their versions.
void describe_missing(json_writer& json);

/// Returns: the error for `name`, a strategy of the missing `library`.
[[nodiscard]] std::string missing_text(std::string_view name, const library_row& library);

} // namespace bench
