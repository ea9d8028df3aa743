/// Parses the records of a process's chunks into events.
///
/// Data model: for each thread its stack, its last time and last address. A chunk is self-contained: it begins with the
/// thread's number, the time, and a full stack. So a damaged or lost chunk does not affect others.
#pragma once

#include "trace/chunk/thread_stack.hpp"
#include "trace/contexts/context_coder.hpp"
#include "trace/event.hpp"
#include "trace/file/bytes.hpp"
#include "trace/file/process_facts.hpp"

#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

namespace mallard::trace {

/// Receives the parsed records.
class chunk_sink {
public:
    virtual void take(const event& added, stack_end end) = 0;
    /// The ticks of the thread's preceding event, in the allocator and in the recorder.
    virtual void take_ticks(std::uint32_t thread, std::uint64_t inside, std::uint64_t by_recorder) = 0;
    virtual void take(code_file&& file) = 0;
    virtual void take(named_number&& name) = 0;

protected:
    ~chunk_sink() = default;
};

class chunk_parser {
public:
    explicit chunk_parser(known_contexts& contexts) noexcept : contexts_(&contexts) {}

    /// Effects: passes all records to `sink`, up to the end or to the first invalid one.
    /// Returns: false if a record is invalid.
    bool parse(std::span<const std::byte> records, chunk_sink& sink);

    /// Effects: marks the thread as known. Another parser had its first chunks, which may come again.
    void pass_thread(std::uint32_t number);

private:
    struct thread {
        static constexpr std::uint64_t unknown = ~std::uint64_t{0};

        thread_stack stack;
        std::uint64_t last_ticks = 0;
        std::uint64_t last_address = 0;
        std::uint64_t last_function = 0;
        std::uint64_t last_frame = 0;
        std::uint64_t next_begin = unknown; ///< the expected number of the next chunk
        bool follows = false;               ///< the preceding chunk was not lost
        bool full_stack =
            true; ///< the next event has the full stack, though some levels may be repeated calls
    };

    void parse_records(chunk_sink& sink);
    void parse_record(record_kind kind, chunk_sink& sink);
    void parse_thread_begin(chunk_sink& sink);
    void parse_stack(event& result);
    void mark_leaf();
    void parse_fields(event& result);
    std::uint64_t follow(std::uint64_t& last);
    void pass_time();
    [[nodiscard]] event new_event(record_kind kind) const;

    known_contexts* contexts_;
    std::unordered_map<std::uint32_t, std::unique_ptr<thread>> threads_;
    byte_reader from_;
    thread* thread_ = nullptr; ///< of the current records
    std::uint32_t number_ = 0;
};

} // namespace mallard::trace
