/// Chunks of records in the format of recorded processes, and the events that a reader must return for them.
#pragma once

#include "trace/event.hpp"
#include "trace/writer.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <vector>

namespace mallard::test {

/// A level of a stack, or a gap of `omitted` levels if that is not 0.
struct level {
    std::uint64_t address = 0;
    std::uint64_t omitted = 0;

    friend bool operator==(const level&, const level&) noexcept = default;
};

/// An event, and its full stack.
struct expected_event {
    trace::event fields;
    std::vector<level> stack;
    trace::stack_end end = trace::stack_end::outermost;
};

/// Records of a chunk.
class chunk_builder {
public:
    /// Effects: adds the start of a thread's chunk, after `begins` earlier ones.
    void thread_begin(std::uint64_t ticks, std::uint32_t thread, std::uint64_t begins = 0);
    /// Effects: adds an event, `passed` ticks after the preceding record. Of its stack, the outer `kept` recorded levels are
    /// those of the preceding event. If none are kept, the outer `repeated` levels of `more` are unchanged calls nevertheless.
    void add(const expected_event& event, std::uint64_t passed, std::uint64_t kept,
             const std::vector<level>& more, std::uint64_t repeated = 0);
    void add_number(std::uint64_t value);
    void add_byte(std::uint8_t value) { bytes.push_back(static_cast<std::byte>(value)); }

    std::vector<std::byte> bytes;

private:
    void add_address(std::uint64_t address, std::uint64_t& last);

    std::uint64_t last_address_ = 0;
    std::uint64_t last_function_ = 0;
    std::uint64_t last_frame_ = 0;
};

/// A random recording, drawn from a seed.
struct random_recording {
    struct options {
        std::uint32_t threads = 3;
        std::size_t events = 500; ///< of each thread
        std::size_t events_per_chunk = 100;
        bool extreme = false; ///< numbers of 64 bits everywhere, and stacks with gaps
    };
    random_recording(std::uint64_t seed, options settings);

    /// Effects: adds the process to the trace.
    void add_to(trace::writer& to) const;

    std::vector<std::vector<std::byte>> chunks; ///< in order for each thread
    std::map<std::uint32_t, std::vector<expected_event>> threads;
    trace::process facts;
};

} // namespace mallard::test
