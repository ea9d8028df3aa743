/// The records of a process's chunks as events: what the recorded process wrote fast, put in order.
///
/// Data model: for each thread its stack, its last time and last address. A chunk stands alone: it begins with the
/// thread's number, the time, and a whole stack. So a chunk that is damaged or lost spoils no other.
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

/// Takes what a parser finds.
class chunk_sink {
public:
    virtual void take(const event& found, stack_end end) = 0;
    /// The thread's event before took so many ticks in the allocator.
    virtual void took(std::uint32_t thread, std::uint64_t inside, std::uint64_t by_recorder) = 0;
    virtual void take(code_file&& file) = 0;
    virtual void take(named_number&& name) = 0;

protected:
    ~chunk_sink() = default;
};

class chunk_parser {
public:
    explicit chunk_parser(known_contexts& contexts) noexcept : contexts_(&contexts) {}

    /// Effects: gives all records to `sink`, up to the end or to the first one that makes no sense.
    /// Returns: false if one made no sense.
    bool parse(std::span<const std::byte> records, chunk_sink& sink);

    /// Effects: the thread is no new one. Its first chunks went to another parser, and may come again.
    void pass_thread(std::uint32_t number);

private:
    struct thread {
        static constexpr std::uint64_t unknown = ~std::uint64_t{0};

        thread_stack stack;
        std::uint64_t last_ticks = 0;
        std::uint64_t last_address = 0;
        std::uint64_t last_function = 0;
        std::uint64_t last_frame = 0;
        std::uint64_t next_begin = unknown; ///< the number of the next chunk, if none is lost
        bool follows = false;               ///< the chunk before was not lost
        bool whole_stack =
            true; ///< the next event brings the whole stack, though levels of it may be the same calls
    };

    void parse_records(chunk_sink& sink);
    void parse_record(record_kind kind, chunk_sink& sink);
    void parse_thread_begin(chunk_sink& sink);
    void parse_stack(event& found);
    void mark_leaf();
    void parse_fields(event& found);
    std::uint64_t follow(std::uint64_t& last);
    void pass_time();
    [[nodiscard]] event new_event(record_kind kind) const;

    known_contexts* contexts_;
    std::unordered_map<std::uint32_t, std::unique_ptr<thread>> threads_;
    byte_reader from_;
    thread* thread_ = nullptr; ///< whose records come now
    std::uint32_t number_ = 0;
};

} // namespace mallard::trace
