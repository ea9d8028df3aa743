#include "history/history.hpp"
#include "profiler/blocks/block_table.hpp"
#include "profiler/export/exports.hpp"

#include <algorithm>
#include <vector>

namespace mallard::advisor {

namespace {

using history::recording;

/// The requests of a process as words of a recording. A block's number is its slot.
class request_writer {
public:
    explicit request_writer(std::FILE* file) : file_(file) {}

    void add(const trace::event& event) {
        if (event.address == 0) {
            return;
        }
        if (trace::allocates(event.kind)) {
            free(event.address); // if an earlier free is not in the trace
            allocate(event.address, event.bytes);
        } else if (trace::frees(event.kind)) {
            const std::uint64_t bytes = free(event.address);
            if (event.kind == trace::record_kind::realloc_old) {
                in_realloc_.resize(std::max(in_realloc_.size(), event.thread + std::size_t{1}));
                in_realloc_[event.thread] = bytes;
            }
        } else if (event.kind == trace::record_kind::realloc_failed && event.thread < in_realloc_.size()) {
            free(event.address);
            allocate(event.address, in_realloc_[event.thread]);
        }
    }

    /// Throws: export_error if there was no request.
    void finish() {
        if (slots_ == 0) {
            throw export_error(
                "The trace has no allocations, so there is no history to replay. Record another run.");
        }
        const recording::trailer end{events_, slots_, recording::trailer::right_magic};
        std::fwrite(&end, sizeof end, 1, file_);
    }

private:
    void write(std::uint32_t word) {
        std::fwrite(&word, sizeof word, 1, file_);
        ++events_;
    }

    void allocate(std::uint64_t address, std::uint64_t bytes) {
        live_block block;
        block.address = address;
        block.bytes = bytes;
        block.number = free_slots_.empty() ? slots_++ : free_slots_.back();
        if (!free_slots_.empty()) {
            free_slots_.pop_back();
        }
        live_.insert(block);
        write(static_cast<std::uint32_t>(std::min<std::uint64_t>(bytes, recording::most_bytes)));
    }

    /// Returns: the bytes of the block; 0 if it was allocated before the recording.
    std::uint64_t free(std::uint64_t address) {
        const auto block = live_.take(address);
        if (!block) {
            return 0;
        }
        free_slots_.push_back(block->number);
        write(recording::freed | static_cast<std::uint32_t>(block->number));
        return block->bytes;
    }

    std::FILE* file_;
    block_table live_;
    std::vector<std::uint64_t> free_slots_;
    std::vector<std::uint64_t> in_realloc_; ///< bytes of the last block that a realloc ended, by thread
    std::uint64_t slots_ = 0;
    std::uint64_t events_ = 0;
};

} // namespace

void write_history(trace::reader& trace, std::size_t process, std::FILE* to) {
    request_writer requests(to);
    trace.begin(process);
    for (auto events = trace.next(); !events.empty(); events = trace.next()) {
        for (const trace::event& event : events) {
            requests.add(event);
        }
    }
    requests.finish();
}

} // namespace mallard::advisor
