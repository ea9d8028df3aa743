/// The answer to --rules: a decision tree for a trial, as JSON.
#pragma once

#include "profiler/report/code_names.hpp"
#include "trace/reader.hpp"

#include <cstddef>
#include <string>

namespace mallard::advisor {

/// Returns: the tree that finds the code without the excluded code, both as `FILE:OFFSET,BEGIN-END;FILE:OFFSET`,
/// hexadecimal. docs/advisor/profile_format.md describes the document.
/// Throws: usage_error if a text has another format.
std::string rules_document(trace::reader& reader, std::size_t process, code_names& names,
                           const std::string& code, const std::string& excluded);

} // namespace mallard::advisor
