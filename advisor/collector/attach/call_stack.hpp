/// The calls in which a stopped thread of another process is, by the call frame information of the process's files.
///
/// Frame pointers and words of the stack prove nothing: a handler's frame has any size, and a program may have its own
/// code behind signal handlers. So a frame counts only if .eh_frame describes its code, and a stack only if it ends in a frame that
/// is described as outermost.
#pragma once

#include "collector/attach/target.hpp"

#include <array>
#include <memory>
#include <vector>

namespace mallard::collector {

/// The registers that call frame information refers to, by its numbers: rax, rdx, rcx, rbx, rsi, rdi, rbp, rsp, r8 to r15, rip.
using frame_registers = std::array<address, 17>;

struct call_stack {
    /// Addresses in the functions, innermost first.
    std::vector<address> code;
    /// All frames are described, the last one as outermost, and no signal handler is among them.
    bool is_complete = false;
    /// The stack left the code that was known when the unwinder was made.
    bool has_new_code = false;
};

class unwinder {
public:
    /// Effects: opens the files of the process, so that unwinding reads only memory.
    /// Throws: failure if the process has ended or may not be traced.
    explicit unwinder(const target& process);
    unwinder(const unwinder&) = delete;
    unwinder& operator=(const unwinder&) = delete;
    ~unwinder();

    /// Requires: the thread with these registers is stopped.
    /// Complexity: O(n) for n frames, of which there may be 16,384; deeper stacks are not complete.
    [[nodiscard]] call_stack unwind(const frame_registers& registers);

private:
    struct session;
    std::unique_ptr<session> session_;
};

} // namespace mallard::collector
