/// The experiments. The comment at the top of the file of an experiment says what it measures.
#pragma once

#include "runner/harness/arguments.hpp"
#include "runner/harness/json.hpp"
#include "runner/harness/row.hpp"
#include "runner/strategy/table.hpp"

namespace bench {

// run_x: runs the cell that `args` describes. Throws: usage_error.
// describe_x: writes the members of the object that describes the experiment.

[[nodiscard]] row run_programs(arguments& args, run_options& options);
void describe_programs(json_writer& json);

[[nodiscard]] row run_density(arguments& args, run_options& options);
void describe_density(json_writer& json);

[[nodiscard]] row run_locality(arguments& args, run_options& options);
void describe_locality(json_writer& json);

[[nodiscard]] row run_utilization(arguments& args, run_options& options);
void describe_utilization(json_writer& json);

[[nodiscard]] row run_contention(arguments& args, run_options& options);
void describe_contention(json_writer& json);

[[nodiscard]] row run_fragmentation(arguments& args, run_options& options);
void describe_fragmentation(json_writer& json);
/// True for density's strategies, except the ones that separate the parts of a cost.
[[nodiscard]] bool has_fragmentation(const strategy& s) noexcept;

[[nodiscard]] row run_dimensions(arguments& args, run_options& options);
void describe_dimensions(json_writer& json);

[[nodiscard]] row run_primitives(arguments& args, run_options& options);
void describe_primitives(json_writer& json);

[[nodiscard]] row run_small_objects(arguments& args, run_options& options);
void describe_small_objects(json_writer& json);

[[nodiscard]] row run_fixed_block(arguments& args, run_options& options);
void describe_fixed_block(json_writer& json);

[[nodiscard]] row run_adaptive_pool(arguments& args, run_options& options);
void describe_adaptive_pool(json_writer& json);

[[nodiscard]] row run_expansion_forward(arguments& args, run_options& options);
void describe_expansion_forward(json_writer& json);

[[nodiscard]] row run_expansion_backward(arguments& args, run_options& options);
void describe_expansion_backward(json_writer& json);

[[nodiscard]] row run_shrink_to_fit(arguments& args, run_options& options);
void describe_shrink_to_fit(json_writer& json);

[[nodiscard]] row run_burst(arguments& args, run_options& options);
void describe_burst(json_writer& json);

[[nodiscard]] row run_heap_churn(arguments& args, run_options& options);
void describe_heap_churn(json_writer& json);

[[nodiscard]] row run_reuse(arguments& args, run_options& options);
void describe_reuse(json_writer& json);

} // namespace bench
