/// Detects that files were unloaded, by any means: the rules of their code are invalid then.
///
/// dlclose from the program could be intercepted. But libc unloads modules itself, for character sets and for user names,
/// and calls no function that another library can replace. The loader frees its own data through the program's free
/// each time, after it has unmapped the file and before it loads anything else.
#pragma once

#include "recorder/system/byte_cursor.hpp"

#include <atomic>
#include <cstdint>

namespace mallard::recorder {

class unloads {
public:
    /// Effects: finds the loader.
    void begin() noexcept;

    /// Returns: true if a call that returns to `return_address` comes from the loader.
    [[nodiscard]] bool from_loader(unwind::address return_address) const noexcept {
        return return_address - loader_ < loader_bytes_;
    }

    /// Returns: true if files were unloaded since the last call that returned true.
    bool happened() noexcept;

private:
    unwind::address loader_ = 0;
    unwind::address loader_bytes_ = 0;
    std::atomic<std::uint64_t> seen_{0};
};

} // namespace mallard::recorder
