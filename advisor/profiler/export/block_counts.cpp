#include "profiler/export/block_counts.hpp"

#include <algorithm>

namespace mallard::advisor {

heap_history::heap_history(trace::reader& trace, std::size_t process)
    : counts_(trace.contexts(process).size()), peak_number_(counts_.size()) {
    first_ticks_ = trace.processes()[process].first_ticks;
    last_ticks_ = std::max(first_ticks_, trace.processes()[process].last_ticks);
    trace.begin(process);
    for (auto events = trace.next(); !events.empty(); events = trace.next()) {
        for (const trace::event& event : events) {
            add(event);
            last_ticks_ = std::max(last_ticks_, event.ticks);
        }
    }
    finish();
}

std::uint64_t heap_history::since_begin(const trace::event& event) const noexcept {
    return event.ticks - std::min(event.ticks, first_ticks_);
}

void heap_history::add(const trace::event& event) {
    if (event.address == 0) {
        return;
    }
    if (trace::allocates(event.kind)) {
        allocate(event);
        if (total_.alive.bytes > total_.at_peak.bytes) {
            ++peak_;
            total_.at_peak = total_.alive;
            ticks_at_peak_ = since_begin(event);
        }
    } else if (trace::frees(event.kind)) {
        const auto block = alive_.take(event.address);
        if (!block) {
            return; // allocated before the recording
        }
        if (event.kind == trace::record_kind::realloc_old) {
            in_realloc_.resize(std::max(in_realloc_.size(), event.thread + std::size_t{1}));
            in_realloc_[event.thread] = {*block, since_begin(event)};
        }
        release(*block, since_begin(event));
    } else if (event.kind == trace::record_kind::realloc_failed) {
        undo_free(event.address, event.thread);
    }
}

/// Returns: the counts of the context, for modification.
block_counts& heap_history::touch(trace::context_id context) {
    block_counts& counts = counts_[context];
    if (peak_number_[context] != peak_) {
        peak_number_[context] = peak_;
        counts.at_peak = counts.alive;
    }
    return counts;
}

void heap_history::allocate(const trace::event& event) {
    if (const auto lost = alive_.take(event.address)) { // its free is not in the trace
        release(*lost, since_begin(event));
    }
    live_block block;
    block.address = event.address;
    block.bytes = event.bytes;
    block.ticks = since_begin(event);
    block.call = event.context;
    alive_.insert(block);
    block_counts& counts = touch(block.call);
    for (block_counts* const sums : {&counts, &total_}) {
        ++sums->allocated.blocks;
        sums->allocated.bytes += block.bytes;
        ++sums->alive.blocks;
        sums->alive.bytes += block.bytes;
        if (sums->alive.bytes > sums->most.bytes || sums->most.blocks == 0) {
            sums->most = sums->alive;
        }
    }
}

void heap_history::release(const live_block& block, std::uint64_t ticks) {
    block_counts& counts = touch(block.call);
    for (block_counts* const sums : {&counts, &total_}) {
        --sums->alive.blocks;
        sums->alive.bytes -= block.bytes;
        sums->ticks += ticks - block.ticks;
    }
}

/// Effects: a realloc failed, so that its block is alive after all.
void heap_history::undo_free(std::uint64_t address, std::uint32_t thread) {
    if (thread >= in_realloc_.size() || in_realloc_[thread].block.address != address ||
        alive_.contains(address)) {
        return;
    }
    const live_block& block = in_realloc_[thread].block;
    alive_.insert(block);
    block_counts& counts = touch(block.call);
    for (block_counts* const sums : {&counts, &total_}) {
        ++sums->alive.blocks;
        sums->alive.bytes += block.bytes;
        sums->ticks -= in_realloc_[thread].ticks - block.ticks;
    }
    in_realloc_[thread] = {};
}

void heap_history::finish() {
    alive_.for_each([&](const live_block& block) {
        for (block_counts* const sums : {&counts_[block.call], &total_}) {
            sums->ticks += this->ticks() - block.ticks;
        }
    });
    for (trace::context_id context = 0; context < counts_.size(); ++context) {
        touch(context);
    }
}

} // namespace mallard::advisor
