/// The loaded files that the trace has already.
#pragma once

#include "recorder/code/code_objects.hpp"

#include <array>
#include <atomic>
#include <cstdint>

namespace mallard::recorder {

class code_files {
public:
    /// Returns: true if the file has not been asked for since `forget`. Another thread that asks at the same time may be
    /// told so too; then the trace has the file twice, which does no harm.
    bool is_new(const unwind::code_object& file) noexcept;

    /// Effects: each file is new again.
    void forget() noexcept;

private:
    // A program with more files has some of them in its trace more than once.
    static constexpr unsigned most = 4096;

    std::array<std::atomic<unwind::address>, most> begins_{};
    std::atomic<unsigned> next_{0};
};

} // namespace mallard::recorder
