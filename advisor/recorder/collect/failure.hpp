/// The errors of `mallard record` itself: one line, and exit status 2.
#pragma once

#include <stdexcept>

namespace mallard::collect {

/// The text has the error, the value, the allowed values and the remedy.
class failure : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

} // namespace mallard::collect
