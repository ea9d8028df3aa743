/// The errors of `mallard record` itself: one line, and exit status 2.
#pragma once

#include <exception>
#include <filesystem>
#include <new>
#include <stdexcept>
#include <string>

namespace mallard::collector {

/// The text has the error, the value, the allowed values and the remedy.
class failure : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// Returns: the error for the user, without names of the standard library.
inline std::string error_in_words(const std::exception& error) {
    if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr) {
        return "there is not enough memory for the trace";
    }
    if (const auto* file = dynamic_cast<const std::filesystem::filesystem_error*>(&error)) {
        return "'" + file->path1().string() + "' cannot be used: " + file->code().message() +
               "; give the path of another file or folder";
    }
    return error.what();
}

} // namespace mallard::collector
