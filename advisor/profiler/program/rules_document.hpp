/// The answer to --rules: a decision tree for a trial, as JSON. `rules` is the smallest tree that decides, by return
/// addresses from the innermost outwards, whether the code is on the stack: `FILE:ROW,ROW;FILE:ROW`, sorted. A row is a
/// hexadecimal `NODE.OFFSET` and an outcome; the root is node 0, OFFSET that of the last byte of the call.
///
///     + - x                     inside of the scope; outside; inside, but called from excluded code
///     >NODE                     the node that looks up the next return address
///     rows                      number of rows, at most 2,048
///     allocations, undecided    all requests; those without a row, without a file (or in one whose path has a semicolon),
///                               beyond 8 levels, or with omitted levels in which the code may be
///     further_levels            the return addresses behind the first one, summed; 8 for an undecided request
#pragma once

#include "profiler/report/code_names.hpp"
#include "trace/reader.hpp"

#include <cstddef>
#include <string>

namespace mallard::advisor {

/// Returns: the tree that finds the code without the excluded code, both as `FILE:OFFSET,BEGIN-END;FILE:OFFSET`,
/// hexadecimal.
/// Throws: usage_error if a text has another format.
std::string rules_document(trace::reader& reader, std::size_t process, code_names& names,
                           const std::string& code, const std::string& excluded);

} // namespace mallard::advisor
