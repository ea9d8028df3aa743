/// A compressed file.
#pragma once

#include "profiler/export/output_file.hpp"

#include <memory>
#include <string_view>

namespace mallard::advisor {

class gzip {
public:
    /// Requires: the file outlives the object.
    /// Throws: std::bad_alloc.
    explicit gzip(output_file& to);
    gzip(const gzip&) = delete;
    gzip& operator=(const gzip&) = delete;
    ~gzip();

    void write(std::string_view bytes);
    /// Effects: writes the end of the compressed stream.
    void finish();

private:
    struct state;
    void compress(std::string_view bytes, int flush);

    output_file& to_;
    std::unique_ptr<state> state_;
};

} // namespace mallard::advisor
