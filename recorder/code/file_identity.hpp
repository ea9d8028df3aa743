/// The names by which a loaded file is found again: its path and its build-id.
#pragma once

#include "recorder/code/code_objects.hpp"

#include <cstddef>

namespace mallard::recorder {

struct file_identity {
    unwind::address load_address = 0;
    const std::byte* build_id = nullptr;
    std::size_t build_id_bytes = 0;
    const char* path = nullptr; ///< empty for the program itself, whose path the trace has elsewhere
    std::size_t path_bytes = 0;

    /// Returns: the names, in the file's own memory.
    static file_identity of(const unwind::code_object& file) noexcept;
};

} // namespace mallard::recorder
