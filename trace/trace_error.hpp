/// The error of everything that reads or writes traces.
#pragma once

#include <stdexcept>

namespace mallard::trace {

/// The text says which file, what is wrong with it, and what to do.
class trace_error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

} // namespace mallard::trace
