/// The loaded files that are already in the trace.
#pragma once

#include "recorder/code/code_objects.hpp"

#include <array>
#include <atomic>
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

} // namespace mallard::recorder
