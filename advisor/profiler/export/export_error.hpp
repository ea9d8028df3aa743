/// The error of all exports.
#pragma once

#include <stdexcept>

namespace mallard::advisor {

/// The text names the file, the failure and the remedy.
class export_error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

} // namespace mallard::advisor
