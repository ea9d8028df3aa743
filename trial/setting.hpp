/// What `mallard try` asks of the trial, through the environment of the program.
#pragma once

#include "trial/serve/strategy.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace mallard::trial {

/// Code of the scope in one file: offsets from the address at which the file is loaded.
struct code_range {
    std::array<char, 256> file; ///< the end of its path; empty for the program itself
    std::uint64_t begin;
    /// 0 for the whole function that has `begin`, as the file's table of frames describes it.
    std::uint64_t end;
};

struct code_ranges {
    static constexpr std::size_t most = 1024;

    std::array<code_range, most> all{};
    std::size_t count = 0;
};

/// How a thread is known to be inside of the scope.
enum class detection : std::uint8_t {
    stack,     ///< its stack has a call that returns into the scope's code
    mark,      ///< a MALLARD_SCOPE of that name is open
    functions, ///< the scope's code was compiled with -finstrument-functions, and says so itself
};

struct setting {
    /// MALLARD_TRIAL=STRATEGY; null if the program is to run as it is.
    const strategy* served_by = nullptr;
    /// MALLARD_TRIAL_CODE=FILE:BEGIN-END,BEGIN;FILE:...   hexadecimal
    code_ranges code;
    /// MALLARD_TRIAL_EXCEPT, as MALLARD_TRIAL_CODE: requests from calls in there go to the global allocator, where a thread
    /// is known by its stack.
    code_ranges except;
    /// MALLARD_TRIAL_BY=stack|mark|functions
    detection by = detection::stack;
    /// MALLARD_TRIAL_MARK=NAME of a MALLARD_SCOPE
    std::array<char, 256> mark{};
    /// MALLARD_TRIAL_REPORT=FILE, which must not exist yet.
    std::array<char, 4096> report{};
    /// MALLARD_TRIAL_MOST_BYTES: larger requests go to the global allocator.
    std::size_t most_bytes = std::size_t{1} << 20;
    /// MALLARD_TRIAL_MOST_TAKEN: the most memory of all served blocks, in bytes; 0 for half of the available memory.
    std::size_t most_taken = 0;
    /// MALLARD_TRIAL_LITTER: so many blocks are allocated before the program begins, and three in four of them freed, so that
    /// the global heap is full of holes, as it is in a program that runs for long.
    std::uint32_t litter = 0;
    /// MALLARD_TRIAL_DELAY_NS: each operation of the scope takes so much longer.
    std::uint32_t delay_ns = 0;

    /// Effects: takes the trial out of the environment, so that the program and those that it starts see the environment that
    /// the user has.
    static setting read() noexcept;
};

} // namespace mallard::trial
