/// The names that identify a loaded file: its path and its build-id.
#pragma once

#include "recorder/code/code_objects.hpp"

#include <cstddef>

namespace mallard::recorder {

struct file_identity {
    unwind::address load_address = 0;
    const std::byte* build_id = nullptr;
    std::size_t build_id_bytes = 0;
    const char* path = nullptr; ///< empty for the program itself; the trace has its path elsewhere
    std::size_t path_bytes = 0;

    /// Returns: the names, which point into the file's memory.
    static file_identity read(const unwind::code_object& file) noexcept;
};

} // namespace mallard::recorder
