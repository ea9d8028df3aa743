/// Chunks of records as recorded processes write them, and the events that a reader must give for them.
#pragma once

#include "trace/event.hpp"
#include "trace/writer.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <vector>

namespace mallard::test {

/// A level of a stack; or levels that were left out, if `left_out` is not 0.
struct level {
    std::uint64_t address = 0;
    std::uint64_t left_out = 0;

    friend bool operator==(const level&, const level&) noexcept = default;
};

/// An event, and its whole stack.
struct expected_event {
    trace::event of;
    std::vector<level> stack;
    trace::stack_end end = trace::stack_end::outermost;
};

/// Records of a chunk.
class chunk_builder {
public:
    /// Effects: adds the beginning of the thread's chunk after `begins` others.
    void thread_begin(std::uint64_t ticks, std::uint32_t thread, std::uint64_t begins = 0);
    /// Effects: adds an event, `passed` ticks after the record before. Of its stack, the outer `kept` recorded levels are
    /// those of the event before. If there are none, the outer `same` levels of `more` are the same calls nevertheless.
    void add(const expected_event& event, std::uint64_t passed, std::uint64_t kept,
             const std::vector<level>& more, std::uint64_t same = 0);
    void add_number(std::uint64_t value);
    void add_byte(std::uint8_t value) { bytes.push_back(static_cast<std::byte>(value)); }

    std::vector<std::byte> bytes;

private:
    void add_address(std::uint64_t now, std::uint64_t& last);

    std::uint64_t last_address_ = 0;
    std::uint64_t last_function_ = 0;
    std::uint64_t last_frame_ = 0;
};

/// A recording in which everything is random, drawn from a seed.
struct random_recording {
    struct options {
        std::uint32_t threads = 3;
        std::size_t events = 500; ///< of each thread
        std::size_t events_of_chunk = 100;
        bool extreme = false; ///< numbers of 64 bits everywhere, and stacks with gaps
    };
    random_recording(std::uint64_t seed, options how);

    /// Effects: adds the process to the trace.
    void add_to(trace::writer& to) const;

    std::vector<std::vector<std::byte>> chunks; ///< those of each thread in their order
    std::map<std::uint32_t, std::vector<expected_event>> threads;
    trace::process about;
};

} // namespace mallard::test
