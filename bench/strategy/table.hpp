/// The strategies as one table: allocator x binding x destruction (P0089R1, table 1), the floor, the global
/// allocator with its page return switched off, the multipool's orders of reuse, and what threads can share.
/// A new strategy is a row here and a case in strategy/mechanisms.hpp.
#pragma once

#include "bench/harness/arguments.hpp"
#include "bench/harness/json.hpp"
#include "bench/harness/row.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace bench {

enum class mechanism_kind {
    null,
    global,
    global_kept,
    new_delete,
    monotonic,
    multipool,
    multipool_over_monotonic,
    shared_synchronized,
    shared_concurrent
};
enum class binding_kind { type_parameter, abstract_base };
enum class destruction_kind { normal, winked_out };

/// How a pool uses freed blocks again (mallard/core/reuse.hpp).
enum class reuse_kind { standard, last_freed, first_freed, lowest_address, hybrid, random };

struct strategy {
    std::string_view name;
    mechanism_kind mechanism;
    binding_kind binding;
    destruction_kind destruction;
    reuse_kind reuse = reuse_kind::standard;

    [[nodiscard]] bool uses_buffer() const noexcept {
        return mechanism == mechanism_kind::monotonic ||
               mechanism == mechanism_kind::multipool_over_monotonic;
    }

    /// A mechanism that is made for what it serves, in contrast to the global allocator.
    [[nodiscard]] bool has_own_allocator() const noexcept {
        return mechanism == mechanism_kind::multipool || uses_buffer();
    }

    /// One allocator for all threads.
    [[nodiscard]] bool is_shared() const noexcept {
        return mechanism == mechanism_kind::shared_synchronized ||
               mechanism == mechanism_kind::shared_concurrent;
    }

    /// One of the papers' own, with the destructors run: what the experiments that free every block offer.
    [[nodiscard]] bool frees_each_block() const noexcept {
        return destruction == destruction_kind::normal && reuse == reuse_kind::standard && !is_shared() &&
               mechanism != mechanism_kind::global_kept;
    }
};

[[nodiscard]] std::span<const strategy> strategies() noexcept;

[[nodiscard]] std::string_view to_text(mechanism_kind kind) noexcept;
[[nodiscard]] std::string_view to_text(binding_kind kind) noexcept;
[[nodiscard]] std::string_view to_text(destruction_kind kind) noexcept;
[[nodiscard]] std::string_view to_text(reuse_kind kind) noexcept;

/// Whether an experiment has a strategy.
using strategy_filter = bool (*)(const strategy&);

/// Effects: reads --strategy, one of those that `offered` lets through, and writes its name into `options`.
/// Throws: usage_error.
[[nodiscard]] strategy choose_strategy(arguments& given, run_options& options, strategy_filter offered);

/// Effects: writes the member "strategies" of the object that describes an experiment.
void describe_strategies(json_writer& json, strategy_filter offered);

} // namespace bench
