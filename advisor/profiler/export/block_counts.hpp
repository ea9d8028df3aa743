/// The blocks of a process by the stack that allocated them.
///
/// Data model: counts for each context of the trace, most of them empty, and the live blocks by address.
/// Invariant: a context that was touched since the highest peak so far has its counts of that moment in `at_peak`
/// (`peak_number_` is current); for all other contexts `alive` is also the count at the peak. So a new peak costs
/// nothing.
/// Blocks of pools lie in other blocks, and are not counted.
#pragma once

#include "profiler/blocks/block_table.hpp"
#include "trace/reader.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace mallard::advisor {

struct blocks_and_bytes {
    std::uint64_t blocks = 0;
    std::uint64_t bytes = 0; ///< that were requested
    friend bool operator==(const blocks_and_bytes&, const blocks_and_bytes&) = default;
};

struct block_counts {
    blocks_and_bytes allocated;
    blocks_and_bytes alive;   ///< after the last counted event, so in the end at the end of the recording
    blocks_and_bytes at_peak; ///< when the process held the most bytes
    blocks_and_bytes most;    ///< when this context held the most bytes
    std::uint64_t ticks = 0;  ///< sum of the lifetimes of its blocks
    friend bool operator==(const block_counts&, const block_counts&) = default;
};

class heap_history {
public:
    /// Effects: reads all events of the process.
    /// Throws: trace_error if the trace is damaged.
    heap_history(trace::reader& trace, std::size_t process);

    /// By number of the context.
    [[nodiscard]] const std::vector<block_counts>& contexts() const noexcept { return counts_; }
    [[nodiscard]] const block_counts& total() const noexcept { return total_; }
    /// The ticks from the first event to the moment at which the process held the most bytes.
    [[nodiscard]] std::uint64_t ticks_at_peak() const noexcept { return ticks_at_peak_; }

    /// The ticks from the first event to the end.
    [[nodiscard]] std::uint64_t ticks() const noexcept { return last_ticks_ - first_ticks_; }

private:
    struct returned_block {
        live_block block;
        std::uint64_t ticks = 0; ///< since the first event, when it was returned
    };

    /// Returns: the ticks since the first event.
    [[nodiscard]] std::uint64_t since_begin(const trace::event& event) const noexcept;
    void add(const trace::event& event);
    void allocate(const trace::event& event);
    void release(const live_block& block, std::uint64_t ticks);
    void undo_free(std::uint64_t address, std::uint32_t thread);
    void finish();
    block_counts& touch(trace::context_id context);

    std::vector<block_counts> counts_;
    std::vector<std::uint64_t>
        peak_number_;   ///< by context: the number of the peak that its `at_peak` belongs to
    block_table alive_; ///< `call` is the context
    std::vector<returned_block> in_realloc_; ///< by thread: the last block that it passed to realloc
    block_counts total_;
    std::uint64_t peak_ = 0; ///< number of the highest peak so far
    std::uint64_t ticks_at_peak_ = 0;
    std::uint64_t first_ticks_ = 0;
    std::uint64_t last_ticks_ = 0;
};

} // namespace mallard::advisor
