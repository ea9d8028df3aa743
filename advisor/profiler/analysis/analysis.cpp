#include "profiler/analysis/analysis.hpp"

#include <algorithm>
#include <utility>

namespace mallard::advisor {

namespace {

/// False for what is of activations, objects and pools, which may begin or end outside of the part.
bool is_counted_in_part(trace::record_kind kind) noexcept {
    return trace::allocates(kind) || trace::frees(kind) || trace::is_control(kind) ||
           kind == trace::record_kind::realloc_failed || kind == trace::record_kind::gap;
}

} // namespace

analysis::analysis(const scope_tree& stacks, function_lookup find_function, const time_range& time,
                   const limits& most)
    : stacks_(&stacks), range_(time), calls_(stacks, most.calls), pairs_(most.pairs),
      scopes_(stacks.functions()), process_totals_(1), marked_(std::move(find_function)),
      timeline_(time.end() - std::min(time.begin_ticks, time.end()), time.begin_ticks),
      lives_(time.ticks_per_second) {
    process_scope_.open(0, 0, 0);
}

void analysis::add(std::span<const trace::event> events) {
    constexpr std::size_t ahead = 8;
    for (std::size_t at = 0; at < events.size(); ++at) {
        if (at + 2 * ahead < events.size()) {
            blocks_.prefetch_place(events[at + 2 * ahead].address);
            blocks_.prefetch_block(events[at + ahead].address);
        }
        add(events[at]);
        ++number_;
        if (!range_.is_part() && snapshot_.is_due(number_)) {
            snapshot_.take(number_, blocks_, thread_stacks_, scopes_);
            if (pages_.is_due(number_, blocks_.size())) {
                count_pages();
            }
        }
    }
}

void analysis::add(const trace::event& event) {
    const std::uint64_t ticks =
        std::max(ticks_, event.ticks > range_.first_ticks ? event.ticks - range_.first_ticks : 0);
    if (ticks >= range_.end_ticks) {
        return;
    }
    ticks_ = ticks;
    if (!is_earlier(ticks_)) {
        begin_part();
        timeline_.go_to(ticks_, calls_);
    }
    know_thread(event.thread, ticks_);
    if (range_.is_part() && !is_counted_in_part(event.kind)) {
        return;
    }
    if (trace::is_of_function(event.kind)) {
        marked_.follow(event, number_, ticks_);
        return;
    }
    if (event.kind == trace::record_kind::gap) {
        thread_stacks_[event.thread].skip_events();
    }
    if (event.kind == trace::record_kind::resident) {
        count_resident(event);
    }
    if (!trace::has_stack(event.kind)) {
        return;
    }
    const trace::stack_end end = stacks_->end(event.context);
    const bool complete = trace::is_complete(end);
    follow(event, complete);
    if (!is_earlier(ticks_)) {
        ++counted_.events;
        ++counted_.by_end[static_cast<std::size_t>(end)];
    }

    block_bytes_ = 0;
    thread_facts& thread = threads_[event.thread];
    if (trace::allocates(event.kind)) {
        if (event.address != 0) {
            allocate(event, event.bytes, complete);
            if (event.kind == trace::record_kind::realloc && thread.reallocated != 0 && !is_earlier(ticks_)) {
                calls_.reallocated(calls_.find_or_add(event.context), thread.reallocated_call,
                                   thread.reallocated_bytes, event.bytes);
            }
        }
        thread.reallocated = 0;
    } else if (trace::frees(event.kind)) {
        thread.reallocated = 0;
        if (event.address != 0) {
            free(event, complete);
        }
    } else if (event.kind == trace::record_kind::realloc_failed) {
        if (event.address != 0 && event.address == thread.reallocated) {
            allocate(event, thread.reallocated_bytes, complete);
        }
    } else if (!is_earlier(ticks_)) {
        ++calls_[calls_.find_or_add(event.context)].other_kinds;
        if (trace::is_of_pool(event.kind)) {
            pools_.follow(event, blocks_);
        } else if (trace::is_of_instance(event.kind)) {
            instances_.follow(event);
        } else if (trace::is_control(event.kind)) {
            control_count& count = controls_[{calls_.find_or_add(event.context), event.kind}];
            ++count.calls;
            count.ticks_inside += without_stamp(event.ticks_inside);
        } else if (event.kind == trace::record_kind::progress) {
            mark_progress(event.address);
        } else {
            marked_.follow(event, number_, ticks_);
        }
        return;
    }
    if (range_.is_part()) {
        return;
    }
    if (event.ticks_inside != 0) {
        time(event);
    }
    recent_.add(event.thread, ticks_);
}

/// The first event of the part, or the end of the process, comes after the beginning.
void analysis::begin_part() {
    if (has_begun_) {
        return;
    }
    has_begun_ = true;
    live_at_begin_ = {blocks_.size(), timeline_.live()};
    calls_.begin_part();
    timeline_.begin_part(calls_);
}

void analysis::count_pages() {
    pages_.take(number_, ticks_, timeline_.live(), snapshot_.blocks(), calls_, *stacks_);
}

void analysis::know_thread(std::uint32_t thread, std::uint64_t ticks) {
    if (thread >= threads_.size()) {
        threads_.resize(thread + 1);
        thread_stacks_.resize(thread + 1);
    }
    thread_facts& facts = threads_[thread];
    if (is_earlier(ticks)) {
        return;
    }
    if (!facts.is_known) {
        facts.is_known = true;
        facts.first_ticks = ticks;
    }
    facts.last_ticks = ticks;
}

void analysis::follow(const trace::event& event, bool complete) {
    thread_facts& facts = threads_[event.thread];
    if (!complete) {
        facts.skipped_stack = true;
        return;
    }
    thread_scopes& stack = thread_stacks_[event.thread];
    std::uint32_t kept = event.kept;
    if (facts.skipped_stack) {
        facts.skipped_stack = false;
        kept = stack.common_levels(*stacks_, event.context);
    }
    // The second half of a call of realloc is not another call.
    const bool is_second_half =
        event.kind == trace::record_kind::realloc || event.kind == trace::record_kind::realloc_failed;
    if (is_second_half && event.context == stack.context()) {
        return;
    }
    stack.follow(*stacks_, event.context, kept, number_, ticks_, scopes_);
}

void analysis::allocate(const trace::event& event, std::uint64_t bytes, bool complete) {
    block_bytes_ = bytes;
    if (const auto lost = blocks_.take(event.address)) {
        counted_.double_allocations += !is_earlier(ticks_);
        end(*lost, no_call, event.thread);
    }
    live_block block;
    block.address = event.address;
    block.bytes = bytes;
    block.number = number_;
    block.ticks = ticks_;
    block.clock = clock_;
    block.call = calls_.find_or_add(event.context);
    if (is_earlier(ticks_)) {
        block.marked = no_call;
        blocks_.insert(block);
        calls_.allocated_earlier(block.call, bytes);
        timeline_.allocated_earlier(bytes);
        return;
    }
    block.marked = marked_.allocated(event.thread, bytes, ticks_);
    block.thread = event.thread;
    block.has_complete_stack = complete;
    blocks_.insert(block);
    threads_[event.thread].last_allocation = number_;
    calls_.allocated(block.call, bytes);
    timeline_.allocated(block.call, bytes, ticks_, calls_);
    process_scope_.allocated(bytes, ticks_);
    if (complete) {
        thread_stacks_[event.thread].scopes.allocated(bytes, ticks_);
    }
    if (instances_.are_used()) {
        instances_.allocated(event.thread, event.address, bytes);
    }
    clock_ += bytes;
    ++allocations_;
}

void analysis::free(const trace::event& event, bool complete) {
    const call_id freed = calls_.find_or_add(event.context);
    if (!is_earlier(ticks_)) {
        ++calls_[freed].frees;
        process_scope_.free_called();
        marked_.free_called(event.thread);
        if (complete) {
            thread_stacks_[event.thread].scopes.free_called();
        }
    }
    const auto block = blocks_.take(event.address);
    if (!block) {
        counted_.foreign_frees += !is_earlier(ticks_);
        pools_.free_by_malloc(event);
        return;
    }
    block_bytes_ = block->bytes;
    if (!range_.is_part() && pages_.is_due_at_peak(timeline_.live(), block->bytes, timeline_.peak())) {
        blocks_.insert(*block);
        snapshot_.read(blocks_, thread_stacks_);
        count_pages();
        static_cast<void>(blocks_.take(event.address));
    }
    if (event.kind == trace::record_kind::realloc_old) {
        thread_facts& thread = threads_[event.thread];
        thread.reallocated = block->address;
        thread.reallocated_bytes = block->bytes;
        thread.reallocated_call = is_earlier(block->ticks) ? no_call : block->call;
    }
    end(*block, freed, event.thread);
}

void analysis::end(const live_block& block, call_id freed, std::uint32_t thread) {
    if (is_earlier(block.ticks)) {
        calls_.freed_earlier(block.call, block.bytes);
        if (is_earlier(ticks_)) {
            timeline_.freed_earlier(block.bytes);
        } else {
            timeline_.freed(block.call, block.bytes, calls_);
            calls_.count_return(block.call);
        }
        return;
    }
    const bool elsewhere = block.thread != thread;
    const bool temporary = freed != no_call && threads_[thread].last_allocation == block.number;
    const std::uint64_t life_ticks = ticks_ - block.ticks;
    const std::uint64_t life_clock = clock_ - block.clock - block.bytes;
    const auto life_ticks_sum = static_cast<double>(life_ticks);
    const auto life_clock_sum = static_cast<double>(life_clock);

    scope_id container = no_scope;
    if (block.has_complete_stack && !range_.is_part()) {
        open_scopes& scopes = thread_stacks_[block.thread].scopes;
        const std::size_t containing = scopes.containing(block.number);
        scopes.freed(containing, block.bytes, ticks_, !elsewhere);
        if (containing != 0) {
            container = scopes.innermost(containing - 1);
        }
    }
    pairs_.add(block.call, freed, container, elsewhere, block.bytes, life_ticks_sum, life_clock_sum);
    calls_.freed(block.call, block.bytes, life_ticks_sum, life_clock_sum, elsewhere, temporary);
    timeline_.freed(block.call, block.bytes, calls_);
    lives_.add(block.bytes, life_ticks, life_clock);
    process_scope_.freed(1, block.bytes, ticks_, !elsewhere);
    if (block.marked != no_call) {
        marked_.freed(block.marked, block.thread, block.number, block.bytes, ticks_, life_ticks, life_clock,
                      elsewhere, temporary);
    }
    if (instances_.are_used()) {
        instances_.freed(block.address);
    }
}

// An allocator that asks the system for memory or gives some back takes tens of microseconds, and more for large blocks:
// their pages are cleared or unmapped one by one. A processor that is taken away comes back after milliseconds.
bool analysis::was_interrupted(std::uint64_t ticks_inside) const noexcept {
    constexpr double most_seconds = 250e-6;
    constexpr double seconds_of_byte = 1e-9;
    const double most = most_seconds + static_cast<double>(block_bytes_) * seconds_of_byte;
    return range_.ticks_per_second > 0 && static_cast<double>(ticks_inside) > most * range_.ticks_per_second;
}

void analysis::time(const trace::event& event) {
    if (was_interrupted(event.ticks_inside)) {
        ++counted_.interrupted_events;
        return;
    }
    ++counted_.timed_events;
    const std::uint64_t in_flight = recent_.count_others(event.thread, ticks_, event.ticks_inside);
    const double inside = without_stamp(event.ticks_inside);
    // Of a thread that lost its processor in the recorder only the operation counts.
    const double by_recorder =
        was_interrupted(event.ticks_recorder) ? 0 : without_stamp(event.ticks_recorder);
    calls_.time(calls_.find_or_add(event.context), inside, by_recorder, in_flight);
    marked_.time(event.thread, inside, by_recorder, in_flight);
}

void analysis::mark_progress(std::uint64_t name) {
    progress_count& count = progress_[name];
    if (count.marks++ == 0) {
        count.first_ticks = ticks_;
        count.first_allocation = allocations_;
    }
    count.last_ticks = ticks_;
    count.last_allocation = allocations_;
}

/// The share of a block of an earlier recording, or of the parent of a fork, belongs to no live block.
void analysis::count_resident(const trace::event& event) {
    constexpr std::uint64_t whole = 65'536;
    const auto block = event.address == 0 ? std::nullopt : blocks_.take(event.address);
    if (!block) {
        return;
    }
    blocks_.insert(*block);
    resident_count& count = residents_[block->call];
    ++count.blocks;
    count.bytes += block->bytes;
    count.resident_bytes += static_cast<double>(block->bytes) *
                            static_cast<double>(std::min(event.bytes, whole)) / static_cast<double>(whole);
}

void analysis::finish() {
    begin_part();
    if (!range_.is_part() && (pages_.is_due_at_peak(timeline_.live(), timeline_.live(), timeline_.peak()) ||
                              pages_.is_due(number_, blocks_.size()))) {
        snapshot_.read(blocks_, thread_stacks_);
        count_pages();
    }
    for (std::size_t thread = 0; thread < threads_.size(); ++thread) {
        thread_stacks_[thread].scopes.close(0, threads_[thread].last_ticks, scopes_, true);
        marked_.finish(static_cast<std::uint32_t>(thread), threads_[thread].last_ticks);
    }
    process_scope_.close(0, ticks_, process_totals_, true);
    timeline_.finish(std::max(ticks_, range_.end()), calls_);
}

std::uint64_t analysis::thread_ticks() const noexcept {
    std::uint64_t sum = 0;
    for (const thread_facts& thread : threads_) {
        sum += thread.last_ticks - thread.first_ticks;
    }
    return sum;
}

} // namespace mallard::advisor
