/// The error of everything that writes exports.
#pragma once

#include <stdexcept>

namespace mallard::advisor {

/// The text says which file, what is wrong with it, and what to do.
class export_error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

} // namespace mallard::advisor
