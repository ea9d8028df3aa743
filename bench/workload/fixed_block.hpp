/// The experiments of the chapter on blocks of a fixed size, hot: the same few blocks again and again.
///
///     new-delete    an object of 24 bytes, made and deleted
///     replace       100 pointers to such objects, one of them deleted and replaced at random each time
///     list, map     a container of 1,000 integers, made and destroyed
///     remove-ctrl   a string without its control characters: as printed, and the better versions of the book
///
/// What is made takes its memory from the strategy: an object by a class-specific operator new, or what
/// stands for one; a container or a string by its allocator, which lives as long as the process does.
///
/// Source: Optimized C++, chapter 13; its versions of remove_ctrl are those of chapter 4.
#pragma once

#include "bench/harness/arguments.hpp"
#include "bench/harness/row.hpp"

namespace bench {

/// Effects: runs the cell that `given` describes.
/// Throws: usage_error.
[[nodiscard]] row run_fixed_block(arguments& given, run_options& options);

/// Effects: writes the members of the object that describes the experiment.
void describe_fixed_block(json_writer& json);

} // namespace bench
