/// A running process to which the recorder is attached, as the system shows it.
#pragma once

#include "recorder/collect/failure.hpp"

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace mallard::collect {

using address = std::uint64_t;

/// A line of /proc/PID/maps.
struct mapping {
    address begin;
    address end;
    std::string rights; ///< "rwxp"
    std::string file;   ///< path, "[stack]" and the like, or empty
};

/// Data model: a snapshot of the mappings, the files of which are read from the file system. Nothing of it is trusted later: a
/// call in the process uses only the C library, which stays mapped until the process executes
/// another program.
class target {
public:
    /// Effects: examines the process.
    /// Throws: failure if the recorder cannot be attached to it.
    explicit target(pid_t process);

    [[nodiscard]] pid_t number() const noexcept { return process_; }
    [[nodiscard]] const std::filesystem::path& executable() const noexcept { return executable_; }
    /// Lines for the user.
    [[nodiscard]] const std::vector<std::string>& notes() const noexcept { return notes_; }

    /// Returns: the address of a function of the C library.
    /// Throws: failure if the library has no such function.
    [[nodiscard]] address libc_function(const std::string& name) const;
    /// Returns: the address of the C library's code that ends a signal handler: `mov $15, %rax; syscall`.
    /// Throws: failure if there is none, or if the process may not be traced.
    [[nodiscard]] address sigreturn() const;

    /// Throws: failure if the process has executed another program, for which the addresses are wrong.
    /// Requires: a thread of the process is stopped.
    void refuse_replaced() const;
    /// Throws: failure if a debugger traces the thread.
    void refuse_traced(pid_t thread) const;
    /// Returns: the failure for a process that the system does not allow to trace.
    [[nodiscard]] failure untraceable() const;

    /// Returns: the present mapping of the address; an empty one if there is none.
    [[nodiscard]] mapping find_mapping(address at) const;
    /// Returns: true if a thread at this place may hold a lock of the C library, the loader, malloc or the recorder.
    [[nodiscard]] bool is_critical(address code) const;
    [[nodiscard]] bool is_in_libc(address code) const;
    [[nodiscard]] bool has_other_malloc() const noexcept { return !other_mallocs_.empty(); }
    /// Returns: true if the address is in a library, other than the C library, that has a malloc.
    [[nodiscard]] bool is_in_other_malloc(address code) const;
    /// Returns: true if the thread waits in the kernel in a way that ptrace does not interrupt.
    [[nodiscard]] bool is_uninterruptible(pid_t thread) const;
    /// Returns: true if the thread has ended, even if the system still lists it.
    [[nodiscard]] bool has_ended(pid_t thread) const;
    /// Returns: the threads at this moment.
    [[nodiscard]] std::vector<pid_t> threads() const;

private:
    void refuse_unreachable() const;
    void refuse_other_namespaces() const;
    void refuse_recorded() const;
    void find_files();
    [[nodiscard]] std::string thread_field(pid_t thread, const std::string& name) const;

    pid_t process_;
    std::filesystem::path executable_;
    std::vector<mapping> mappings_;
    std::vector<std::string> notes_;
    std::string libc_;
    std::vector<std::string> other_mallocs_;
    address libc_begin_ = 0;
    std::vector<std::pair<address, address>> critical_;
};

/// Returns: the lines of /proc/PID/maps.
std::vector<mapping> read_mappings(pid_t process);

} // namespace mallard::collect
