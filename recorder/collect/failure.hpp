/// The errors of `mallard record` itself: told in one line, with exit status 2.
#pragma once

#include <stdexcept>

namespace mallard::collect {

/// The text says what is wrong, which value, what is allowed and what to do.
class failure : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

} // namespace mallard::collect
