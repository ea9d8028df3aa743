/// Parses the records of a process's chunks into events.
///
/// Data model: for each thread its stack, its last time and last address. A chunk is self-contained: it begins with the
/// thread's number, the time, and a full stack. So a damaged or lost chunk does not affect others.
#pragma once

#include "trace/chunk/code_places.hpp"
#include "trace/context_tree.hpp"
#include "trace/event.hpp"
#include "trace/file/bytes.hpp"
#include "trace/file/process_facts.hpp"

#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

namespace mallard::trace {

/// The stack of a recorded thread at its last event, as nodes of the context tree.
///
///     levels as recorded:  0 1 2 [ 3 ... 99,999 omitted ] 100,000 100,001
///     nodes:               0 1 2   3                       4       5
///
/// Data model: the nodes from the outermost one, and the gaps between them. A gap is one node for many levels.
class thread_stack {
public:
    /// Effects: begins a stack of the levels [0, kept) of the preceding stack, to which add() adds. `end` is the end of the
    /// stack if no level is kept.
    /// Returns: false, with no effect, if the preceding stack has fewer levels.
    bool begin(std::uint64_t kept, stack_end end);
    /// Effects: adds an inner level.
    void add(std::uint64_t address, context_tree& tree);
    /// Effects: adds a gap of `levels` levels.
    /// Requires: levels > 0.
    void add_gap(std::uint64_t levels, context_tree& tree);

    [[nodiscard]] context_id context() const noexcept { return size_ == 0 ? root_ : nodes_[size_ - 1]; }
    [[nodiscard]] stack_end end() const noexcept { return static_cast<stack_end>(root_); }
    /// Number of nodes of the preceding stack that begin() kept.
    [[nodiscard]] std::uint32_t kept() const noexcept { return kept_; }
    /// Number of outer nodes that equal those of the preceding stack, including the kept ones.
    [[nodiscard]] std::uint32_t equal() const noexcept { return equal_; }

private:
    struct gap {
        std::size_t node;
        std::uint64_t levels;
    };

    std::vector<context_id>
        nodes_; ///< the first `size_` ones; behind them may be nodes of the preceding stack
    std::size_t size_ = 0;
    std::size_t previous_size_ = 0; ///< of the preceding stack
    std::vector<gap> gaps_;
    context_id root_ = 0;
    std::uint32_t kept_ = 0;
    std::uint32_t equal_ = 0;
    bool diverged_ = true; ///< from the preceding stack, at an added level
};

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
    explicit chunk_parser(context_tree& contexts) noexcept : contexts_(&contexts) {}

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
    void parse_fields(event& result);
    std::uint64_t follow(std::uint64_t& last);
    void pass_time();
    [[nodiscard]] event new_event(record_kind kind) const;

    context_tree* contexts_;
    code_places places_;
    std::unordered_map<std::uint32_t, std::unique_ptr<thread>> threads_;
    byte_reader from_;
    thread* thread_ = nullptr; ///< of the current records
    std::uint32_t number_ = 0;
};

} // namespace mallard::trace
