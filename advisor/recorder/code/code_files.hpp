/// The loaded files that are already in the trace.
#pragma once

#include "recorder/code/code_objects.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace mallard::recorder {

class code_files {
public:
    /// Returns: true if this is the first call for the file since `forget`. A concurrent call may return true as well; the
    /// trace then has the file twice, which is harmless.
    bool is_new(const unwind::code_object& file) noexcept;

    /// Effects: every file counts as new again.
    void forget() noexcept;

private:
    // A program with more files may have some of them in the trace more than once.
    static constexpr unsigned most = 4096;

    std::array<std::atomic<unwind::address>, most> begins_{};
    std::atomic<unsigned> next_{0};
};

/// The names that identify a loaded file: its path and its build-id.
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
