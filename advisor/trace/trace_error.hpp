/// The error of reading or writing traces.
#pragma once

#include <stdexcept>

namespace mallard::trace {

/// The text has the file, the problem and the remedy.
class trace_error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

} // namespace mallard::trace
