#include "advisor/export/block_counts.hpp"

#include <algorithm>

namespace mallard::advisor {

heap_history::heap_history(trace::reader& trace, std::size_t process)
    : counts_(trace.contexts(process).size()), peak_of_(counts_.size()) {
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
        const auto found = alive_.take(event.address);
        if (!found) {
            return; // allocated before the recording
        }
        if (event.kind == trace::record_kind::realloc_old) {
            in_realloc_.resize(std::max(in_realloc_.size(), event.thread + std::size_t{1}));
            in_realloc_[event.thread] = {*found, since_begin(event)};
        }
        release(*found, since_begin(event));
    } else if (event.kind == trace::record_kind::realloc_failed) {
        take_back(event.address, event.thread);
    }
}

/// Returns: the context's counts, which may be changed now.
block_counts& heap_history::touch(trace::context_id context) {
    block_counts& counts = counts_[context];
    if (peak_of_[context] != peak_) {
        peak_of_[context] = peak_;
        counts.at_peak = counts.alive;
    }
    return counts;
}

void heap_history::allocate(const trace::event& event) {
    if (const auto there = alive_.take(event.address)) { // its end is not in the trace
        release(*there, since_begin(event));
    }
    live_block made;
    made.address = event.address;
    made.bytes = event.bytes;
    made.ticks = since_begin(event);
    made.call = event.context;
    alive_.insert(made);
    block_counts& counts = touch(made.call);
    for (block_counts* const each : {&counts, &total_}) {
        ++each->allocated.blocks;
        each->allocated.bytes += made.bytes;
        ++each->alive.blocks;
        each->alive.bytes += made.bytes;
        if (each->alive.bytes > each->most.bytes || each->most.blocks == 0) {
            each->most = each->alive;
        }
    }
}

void heap_history::release(const live_block& gone, std::uint64_t ticks) {
    block_counts& counts = touch(gone.call);
    for (block_counts* const each : {&counts, &total_}) {
        --each->alive.blocks;
        each->alive.bytes -= gone.bytes;
        each->ticks += ticks - gone.ticks;
    }
}

/// Effects: a realloc failed, so the block that it was given is still there. It was never away.
void heap_history::take_back(std::uint64_t address, std::uint32_t thread) {
    if (thread >= in_realloc_.size() || in_realloc_[thread].block.address != address ||
        alive_.contains(address)) {
        return;
    }
    const live_block& back = in_realloc_[thread].block;
    alive_.insert(back);
    block_counts& counts = touch(back.call);
    for (block_counts* const each : {&counts, &total_}) {
        ++each->alive.blocks;
        each->alive.bytes += back.bytes;
        each->ticks -= in_realloc_[thread].ticks - back.ticks;
    }
    in_realloc_[thread] = {};
}

void heap_history::finish() {
    alive_.for_each([&](const live_block& left) {
        for (block_counts* const each : {&counts_[left.call], &total_}) {
            each->ticks += this->ticks() - left.ticks;
        }
    });
    for (trace::context_id each = 0; each < counts_.size(); ++each) {
        touch(each);
    }
}

} // namespace mallard::advisor
