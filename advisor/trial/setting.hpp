/// The options of a trial, which `mallard try` passes in the environment of the program.
#pragma once

#include "history/history.hpp"
#include "trial/strategy.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace mallard::trial {

/// Code of the scope in one file: offsets from the load address.
struct code_range {
    std::array<char, 256> file; ///< the end of its path; empty for the program
    std::uint64_t begin;
    /// 0 for the entire function at `begin`, as the file's table of frames describes it.
    std::uint64_t end;
};

struct code_ranges {
    static constexpr std::size_t most = 1024;

    std::array<code_range, most> all{};
    std::size_t count = 0;
};

/// A row of the decision tree of a scope: the outcome of a return address at a node.
struct rule_row {
    // Outcomes; larger ones are first_node + the number of the next node.
    static constexpr std::uint32_t unknown = 0;
    static constexpr std::uint32_t outside = 1;
    static constexpr std::uint32_t inside = 2;
    static constexpr std::uint32_t excluded = 3; ///< inside, and called from excluded code
    static constexpr std::uint32_t first_node = 4;

    std::uint64_t offset; ///< of the last byte of the call, from the load address of the file
    std::uint32_t file;
    std::uint32_t node;
    std::uint32_t outcome;
};

struct rule_rows {
    static constexpr std::size_t most = 2048;
    static constexpr std::size_t most_files = 64;

    std::array<rule_row, most> all{}; ///< sorted by file, node and offset
    std::size_t count = 0;
    std::array<std::array<char, 256>, most_files> files{}; ///< as in code_range
    std::uint32_t file_count = 0;
};

/// Returns: true if `path` is `file`, or ends with a slash and `file`. The program has an empty path.
bool is_file(const char* path, const char* file) noexcept;

/// The method that decides whether a thread is inside of the scope.
enum class detection : std::uint8_t {
    stack,     ///< its stack has a call that returns into the scope's code
    mark,      ///< a MALLARD_SCOPE with the name is open
    functions, ///< the scope's code was compiled with -finstrument-functions, and reports its calls
};

struct setting {
    /// MALLARD_TRIAL=STRATEGY; null if the program runs without a trial, or is only measured.
    const strategy* served_by = nullptr;
    /// MALLARD_TRIAL_CODE=FILE:BEGIN-END,BEGIN;FILE:...   hexadecimal
    code_ranges code;
    /// MALLARD_TRIAL_EXCEPT, as MALLARD_TRIAL_CODE: requests from calls in this code go to the global allocator, if
    /// scopes are detected by stacks.
    code_ranges except;
    /// MALLARD_TRIAL_RULES=FILE:NODE.OFFSET+,NODE.OFFSET-,NODE.OFFSETx,NODE.OFFSET>NEXT;FILE:...   hexadecimal, in order:
    /// decides for scopes that are detected by stacks, before the stack is unwound. + is inside, - outside, x excluded.
    rule_rows rules;
    /// MALLARD_TRIAL_BY=stack|mark|functions
    detection by = detection::stack;
    /// MALLARD_TRIAL_MARK=NAME of a MALLARD_SCOPE
    std::array<char, 256> mark{};
    /// MALLARD_TRIAL_PROCESS=N:NAME: the trial is of the process whose executable has this name, without folders: of several, the
    /// one that is the N-th to allocate. All others run as without a trial. Without the variable, the first process that allocates.
    std::array<char, 256> process{};
    std::uint32_t instance = 1;
    /// MALLARD_TRIAL_RECORDED=BUILD-ID or /PATH: processes of other executables run as without a trial.
    std::array<char, 4096> recorded{};
    /// MALLARD_TRIAL_REPORT=FILE, which must not exist yet. Earlier processes with the name leave FILE.1, FILE.2, ...
    std::array<char, 4096> report{};
    /// MALLARD_TRIAL_MOST_BYTES: larger requests go to the global allocator, as those beyond the strategy's limit.
    std::size_t most_bytes = ~std::size_t{0};
    /// MALLARD_TRIAL_RESERVE=BYTES: the final size of the arrays that grow by realloc in the scope. Each realloc is then looked up,
    /// under every strategy; "reserve" gives the first block of the scope that size. 0 if nothing grows there.
    std::size_t reserved_bytes = 0;
    /// MALLARD_TRIAL_MOST_TAKEN: the limit of memory for all served blocks, in bytes; 0 for half of the available
    /// memory.
    std::size_t most_taken = 0;
    /// MALLARD_TRIAL_AGE: the history of the global heap before the program begins, as history::read_model takes it.
    history::model age;
    /// MALLARD_TRIAL_HISTORY=FILE: a recording that is replayed for it.
    std::array<char, 4096> recording{};
    /// MALLARD_TRIAL_HELD=1: reports what the C library's malloc holds at exit.
    bool reports_held = false;

    /// True if the environment requests a trial or a measurement.
    bool is_requested = false;
    bool is_wrong = false; ///< MALLARD_TRIAL_AGE has another format

    static setting read() noexcept;

    /// Effects: removes the trial's variables from the environment, so that the program and its children see the
    /// user's environment.
    static void remove_from_environment() noexcept;
};

} // namespace mallard::trial
