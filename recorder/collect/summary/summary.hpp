/// What a recording tells at its end, on standard error.
#pragma once

#include "recorder/collect/arguments.hpp"
#include "recorder/collect/parts/collection.hpp"

#include <string>

namespace mallard::collect {

/// Effects: writes a line. A closed standard error takes none.
void say(const std::string& line);

/// Effects: puts the trace in its place, and tells what it has and what it lacks; or why there is none.
/// Returns: `status`; 2 if nothing was recorded.
int conclude(const arguments& how, parts_folder& folder, const collection::result& told, int status);

} // namespace mallard::collect
