/// A running process to which the recorder is attached, as the system shows it.
#pragma once

#include "collector/failure.hpp"

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <tuple>
#include <vector>

namespace mallard::collector {

using address = std::uint64_t;

/// A line of /proc/PID/maps.
struct mapping {
    address begin;
    address end;
    std::string rights; ///< "rwxp"
    std::string file;   ///< path, "[stack]" and the like, or empty
};

/// Data model: a snapshot of the mappings, the files of which are read from the file system, and the open memory of the process.
/// A call in the process uses only the C library, which stays mapped until the process executes another program. Its memory
/// cannot be read any more then.
/// Invariant: nothing is read line by line from the system while a thread is stopped, because a process may have 60,000 mappings.
class target {
public:
    /// Effects: examines the process, which `mallard` found fit for a recorder (recording/process.py).
    /// Throws: failure if the recorder cannot be attached to it.
    explicit target(pid_t process);
    target(const target&) = delete;
    target& operator=(const target&) = delete;
    ~target();

    [[nodiscard]] pid_t number() const noexcept { return process_; }
    [[nodiscard]] const std::filesystem::path& executable() const noexcept { return executable_; }

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

    /// Effects: reads as much of the memory at `from` as is mapped.
    /// Returns: the number of bytes; 0 also if the process has ended or executed another program.
    [[nodiscard]] std::size_t read_memory(address from, std::span<std::byte> to) const noexcept;

    /// Effects: takes a new snapshot of the mappings.
    void update_mappings();
    /// Returns: the mapping of the address in the snapshot; an empty one if there is none.
    /// Complexity: O(log n) for n mappings.
    [[nodiscard]] mapping find_mapping(address at) const;
    /// Returns: true if a thread that is in a call from this place may hold what pthread_create needs, or may have left it half
    /// changed: in the loader, in any malloc, in the recorder, or in functions of the C library that stop all threads.
    [[nodiscard]] bool is_critical(address code) const;
    [[nodiscard]] bool is_in_libc(address code) const;
    /// Returns: true if the thread waits in the kernel in a way that ptrace does not interrupt.
    [[nodiscard]] bool is_uninterruptible(pid_t thread) const;
    /// Returns: true if the thread has ended, even if the system still lists it.
    [[nodiscard]] bool has_ended(pid_t thread) const;
    /// Returns: the threads at this moment.
    [[nodiscard]] std::vector<pid_t> threads() const;

private:
    using range = std::pair<address, address>;

    void refuse_shared_memory() const;
    void refuse_recorded() const;
    void find_libc();
    void find_files();
    void find_critical_code(const std::vector<std::string>& other_mallocs);
    [[nodiscard]] address first_loaded_file() const;
    [[nodiscard]] std::string thread_field(pid_t thread, const std::string& name) const;

    template <typename T>
    [[nodiscard]] T read_object(address from) const noexcept {
        T object{};
        std::ignore = read_memory(from, std::as_writable_bytes(std::span(&object, 1)));
        return object;
    }

    pid_t process_;
    int memory_ = -1; ///< /proc/PID/mem, of the program that the process executed when it was opened
    std::filesystem::path executable_;
    std::vector<mapping> mappings_; ///< by address
    std::string libc_;
    address libc_base_ = 0; ///< to add to the addresses in its symbols
    std::vector<range> libc_code_;
    std::vector<range> critical_;
};

} // namespace mallard::collector
