/// The strategies as one table: mechanism x binding x destruction (P0089R1, table 1), null, the global
/// allocator with its page return switched off, the multipool's orders of reuse, allocators that threads share, the
/// library's other pools and heaps, the vectors that grow in place, and the contenders. The list is in
/// strategy/strategies.def.
#pragma once

#include "bench/harness/arguments.hpp"
#include "bench/harness/json.hpp"
#include "bench/harness/row.hpp"
#include "bench/strategy/mechanism_table.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace bench {

enum class binding_kind { type_parameter, abstract_base, inline_base };
enum class destruction_kind { normal, winked_out };

/// How a pool uses freed blocks again (mallard/reuse/order.hpp).
enum class reuse_kind { standard, last_freed, first_freed, random };

/// Behind boost::container::vector, with an allocator of one of the versions of N1953 and N2045: the first is the
/// standard's; the second knows of preferred and received sizes, and grows and shrinks blocks in place.
enum class vector_version { none, first, second_masked, second };

struct strategy {
    std::string_view name;
    mechanism_kind mechanism;
    binding_kind binding;
    destruction_kind destruction;
    reuse_kind reuse = reuse_kind::standard;
    bool bursts = false; ///< asks for whole ranges of blocks at once
    vector_version version = vector_version::none;

    [[nodiscard]] bool can(capability wanted) const noexcept { return has(row_of(mechanism).can, wanted); }

    [[nodiscard]] bool uses_buffer() const noexcept { return can(capability::takes_buffer); }

    /// A mechanism that is made for one structure, in contrast to the global allocator.
    [[nodiscard]] bool has_own_allocator() const noexcept { return can(capability::own); }

    /// One of our allocators for all threads.
    [[nodiscard]] bool is_shared() const noexcept {
        return mechanism == mechanism_kind::shared_synchronized ||
               mechanism == mechanism_kind::shared_concurrent;
    }

    [[nodiscard]] bool is_contender() const noexcept { return library_of(mechanism) != nullptr; }

    /// Not a source of blocks: a class, a string or a vector that has its memory by its type.
    [[nodiscard]] bool is_bound_to_a_type() const noexcept {
        return mechanism == mechanism_kind::class_new || mechanism == mechanism_kind::fixed_string ||
               mechanism == mechanism_kind::c_realloc;
    }

    /// Serves blocks of any structure: no vector with its own allocation, nor a region whose size was computed.
    [[nodiscard]] bool is_for_everything() const noexcept {
        return version == vector_version::none && !is_in_a_region(mechanism);
    }

    /// Returns: the library whose containers it stands behind; null if it stands behind any.
    [[nodiscard]] const library_row* library_of_container() const noexcept {
        return version == vector_version::none ? nullptr : library_named(library_kind::boost_container);
    }

    /// Returns: the part that this build would need, and lacks; null if it has all.
    [[nodiscard]] const library_row* missing_library() const noexcept {
        for (const library_row* needed : {library_of(mechanism), library_of_container()}) {
            if (needed != nullptr && !needed->built) {
                return needed;
            }
        }
        return nullptr;
    }

    [[nodiscard]] bool is_built() const noexcept { return missing_library() == nullptr; }

    /// Not compiled for the sizes that nodes have.
    [[nodiscard]] bool serves_large_blocks() const noexcept {
        return row_of(mechanism).largest_block == SIZE_MAX;
    }

    /// Each request is one block, and nothing was changed in the C library or in a mechanism.
    [[nodiscard]] bool is_plain() const noexcept {
        return !bursts && !is_shared() && !is_bound_to_a_type() && is_for_everything() &&
               mechanism != mechanism_kind::global_kept && mechanism != mechanism_kind::monotonic_walked;
    }

    /// One of the papers' own, another pool or a contender, with the destructors run: the strategies of experiments
    /// that free every block.
    [[nodiscard]] bool frees_each_block() const noexcept {
        return is_plain() && destruction == destruction_kind::normal && reuse == reuse_kind::standard;
    }
};

/// Returns: those that this build has.
[[nodiscard]] std::span<const strategy> strategies() noexcept;

[[nodiscard]] std::string_view to_text(binding_kind kind) noexcept;
[[nodiscard]] std::string_view to_text(destruction_kind kind) noexcept;
[[nodiscard]] std::string_view to_text(reuse_kind kind) noexcept;
[[nodiscard]] std::string_view to_text(vector_version version) noexcept;

/// Whether an experiment has a strategy.
using strategy_filter = bool (*)(const strategy&);

/// Effects: reads --strategy, one of those that `offered` lets through, and writes its name into `options`.
/// Throws: usage_error.
[[nodiscard]] strategy choose_strategy(arguments& given, run_options& options, strategy_filter offered);

/// Returns: the names of those that `offered` lets through.
[[nodiscard]] std::vector<std::string> names_of(strategy_filter offered);

/// Throws: usage_error where --strategy is a contender that this build has not.
void refuse_missing(arguments& given);

/// Throws: usage_error where `s` is compiled for smaller blocks only.
void refuse_unserved(const strategy& s, std::size_t block_bytes);

/// How an experiment offers the library's other pools.
enum class other_pools { variants, strategies };

/// Effects: writes the member "strategies" of the object that describes an experiment.
void describe_strategies(json_writer& json, strategy_filter offered,
                         other_pools pools = other_pools::variants);

/// Effects: writes the members "libraries" and "strategies", each with its description, also those that this build
/// lacks.
void describe_registry(json_writer& json);

/// Effects: writes the member "missing": the libraries of contenders that were not there.
void describe_missing(json_writer& json);

/// Returns: the error for `name`, a strategy of `library`, which is not there.
[[nodiscard]] std::string missing_text(std::string_view name, const library_row& library);

} // namespace bench
