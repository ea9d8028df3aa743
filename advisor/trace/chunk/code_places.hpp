/// Tells apart the files of code that were loaded to the same addresses, one after another.
///
///     loaded    at 10      at 20 (a.so was unloaded)      at 30
///               a.so       b.so                           a.so again
///     in trace  7f12...    1000...                        7f12...
///
/// A level of a stack is an address. So that it names one file for the whole trace, a file that was loaded over another
/// one gets addresses that no program uses.
/// Data model: the loads that share addresses with another file, by time.
#pragma once

#include "trace/event.hpp"
#include "trace/raw_record.hpp"

#include <cstdint>
#include <vector>

namespace mallard::trace {

class code_places {
public:
    /// Effects: moves the file to free addresses if another file has been at its own ones.
    void add(code_file& file);

    /// Returns: the address in the trace of a level that was recorded at that time.
    /// Complexity: O(1) outside of the addresses that files share, else O(loads to them).
    [[nodiscard]] std::uint64_t find_level(std::uint64_t level, std::uint64_t ticks) const noexcept {
        const std::uint64_t address = level & ~interrupted_level;
        return address < shared_begin_ || address > shared_end_ ? level : find_shared(level, ticks);
    }

private:
    struct load {
        code_file file; ///< as recorded
        std::uint64_t moved_by = 0;
    };

    [[nodiscard]] std::uint64_t find_shared(std::uint64_t level, std::uint64_t ticks) const noexcept;
    std::uint64_t move(const code_file& file) noexcept;
    void share(const load& added);

    std::vector<load> loads_;
    std::vector<load> shared_; ///< by time
    std::uint64_t shared_begin_ = ~std::uint64_t{0};
    std::uint64_t shared_end_ = 0;
    std::uint64_t next_free_ = first_free;

    /// Neither x86-64 nor aarch64 has code there, unless a program asks for it.
    static constexpr std::uint64_t first_free = std::uint64_t{1} << 44;
    static constexpr std::uint64_t end_of_free = std::uint64_t{1} << 45;
};

} // namespace mallard::trace
