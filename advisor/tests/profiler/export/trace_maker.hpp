/// Synthetic traces for tests, event by event.
#pragma once

#include "trace/event.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace mallard::advisor::tests {

/// The levels of a stack, from the outermost one.
using stack = std::vector<std::uint64_t>;

class trace_maker {
public:
    /// The facts of the process, without its counts.
    trace::process about;
    /// The end of the stacks of the following events.
    trace::stack_end end = trace::stack_end::outermost;
    std::uint32_t thread = 0;
    std::uint64_t ticks = 1024; ///< times in traces are multiples of 32

    trace_maker();

    void add(const trace::code_file& file);

    /// Effects: adds an event of `thread` at `ticks`, of any kind with a stack and a block.
    void add(trace::record_kind kind, const stack& levels, std::uint64_t address, std::uint64_t bytes = 0);
    void allocate(const stack& levels, std::uint64_t address, std::uint64_t bytes) {
        add(trace::record_kind::malloc, levels, address, bytes);
    }
    void free(const stack& levels, std::uint64_t address) { add(trace::record_kind::free, levels, address); }

    /// Effects: writes the events as a trace of one process.
    void write(const std::filesystem::path& to) const;

private:
    struct records {
        std::vector<std::byte> bytes;
        std::uint64_t last_ticks = 0;
        std::uint64_t last_address = 0;
    };
    records& thread_records();

    std::map<std::uint32_t, records> threads_;
};

/// A folder that is removed with its owner.
class temporary_folder {
public:
    temporary_folder();
    temporary_folder(const temporary_folder&) = delete;
    temporary_folder& operator=(const temporary_folder&) = delete;
    ~temporary_folder();
    [[nodiscard]] std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
    [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

private:
    std::filesystem::path path_;
};

std::string read_text(const std::filesystem::path& file);

} // namespace mallard::advisor::tests
