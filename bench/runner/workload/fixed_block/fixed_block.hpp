/// The experiments of the chapter on blocks of a fixed size, with a few blocks that stay in the cache.
///
///     new-delete    an object of 24 bytes, constructed and deleted
///     replace       100 pointers to such objects, one of them deleted and replaced at random each time
///     list, map     a container of 1,000 integers, constructed and destroyed
///     remove-ctrl   a string without its control characters: as printed, and in the book's better versions
///
/// All memory comes from the strategy. An object uses a class-specific operator new, or a stand-in for one. A
/// container or a string uses an allocator that lives as long as the process.
///
/// Source: Optimized C++, chapter 13; its versions of remove_ctrl are those of chapter 4.
#pragma once

#include "runner/harness/arguments.hpp"
#include "runner/harness/row.hpp"

namespace bench {

/// Effects: runs the cell that `args` describes.
/// Throws: usage_error.
[[nodiscard]] row run_fixed_block(arguments& args, run_options& options);

/// Effects: writes the members of the object that describes the experiment.
void describe_fixed_block(json_writer& json);

} // namespace bench
