#include "recorder/log/thread_log.hpp"

#include "recorder/code/file_identity.hpp"
#include "recorder/log/recording.hpp"
#include "recorder/log/stack_check.hpp"

#include <atomic>
#include <cstddef>

namespace mallard::recorder {

namespace {

// Bytes of a chunk that are populated at once.
constexpr std::size_t populate_bytes = std::size_t{32} << 10;
// More new levels are written without the middle ones. A chunk has room for one such event.
constexpr unsigned most_levels_written = 32'768;
// A chunk repeats levels of the preceding event for readers that lack the preceding chunk. More levels are written without
// the middle ones, so that a chunk that begins on a deep stack still has room for events.
constexpr unsigned most_levels_repeated = 1024;
// Levels are stored as eight bytes, of which six count, and a zero ends the last record.
constexpr std::size_t bytes_behind = 16;

std::size_t encoded_bytes(unsigned levels, unsigned most) noexcept {
    return trace::level_bytes * std::size_t{levels <= most ? levels : most + 2};
}

} // namespace

bool thread_log::allocated(record_kind kind, std::uint64_t bytes, const void* block, caller from) noexcept {
    if (sampler_.should_skip(false)) [[unlikely]] {
        forget_unloaded(from);
        return false;
    }
    if (std::byte* to = begin_event(from)) {
        to = trace::write_number(to, bytes);
        publish(kind, write_address(to, block));
    }
    if (sampler_.is_on()) [[unlikely]] {
        add_sampled(block);
    }
    return true;
}

bool thread_log::freed(record_kind kind, const void* block, caller from) noexcept {
    if (sampler_.is_on()) [[unlikely]] {
        freed_is_sampled_ = the_recording.sampled.remove(block);
        if (sampler_.should_skip(freed_is_sampled_)) {
            forget_unloaded(from);
            return false;
        }
    }
    if (std::byte* const to = begin_event(from)) {
        publish(kind, write_address(to, block));
    }
    return true;
}

void thread_log::reallocation_failed(const void* block, bool was_recorded, caller from) noexcept {
    if (!was_recorded) {
        sampler_.skip_one();
        return;
    }
    if (sampler_.is_on() && freed_is_sampled_) [[unlikely]] {
        add_sampled(block);
    }
    if (std::byte* const to = begin_event(from)) {
        publish(record_kind::realloc_failed, write_address(to, block));
    }
}

/// Effects: has the end of the block recorded, even in a gap.
void thread_log::add_sampled(const void* block) noexcept {
    if (!the_recording.sampled.add(block)) {
        the_recording.part.header().blocks_without_end.fetch_add(1, std::memory_order_relaxed);
    }
}

void thread_log::marked(record_kind kind, std::uint64_t number, caller from) noexcept {
    if (std::byte* const to = begin_event(from)) {
        publish(kind, trace::write_number(to, number));
    }
}

void thread_log::prepare_for_sandbox(caller from) noexcept {
    the_recording.part.prepare_for_sandbox();
    stack_.update(from.slot, from.frame_base, the_recording.rules);
    stack_.prepare_for_sandbox();
}

void thread_log::write_ticks(std::uint64_t inside, std::uint64_t recorder) noexcept {
    if (has_room(trace::most_event_bytes)) {
        publish(record_kind::time_inside,
                trace::write_number(trace::write_number(write_time(at_ + 1), inside), recorder));
    }
}

/// Effects: draws the distance to the next sample, from 1 to about twice the mean, so that sampling does not lock onto a
/// period of the program.
bool thread_log::draw_sample(std::uint32_t between) noexcept {
    random_ ^= random_ << 13;
    random_ ^= random_ >> 17;
    random_ ^= random_ << 5;
    until_sample_ = 1 + static_cast<std::uint32_t>(std::uint64_t{random_} * (2 * between - 1) >> 32);
    return true;
}

/// Returns: the place behind the stack of an event that is not published yet; null if recording has stopped.
std::byte* thread_log::begin_event(caller from) noexcept {
    if (sampler_.skipped() != 0) [[unlikely]] {
        write_gap();
    }
    unsigned kept = the_recording.stacks == trace::stack_source::none ? 0 : update_stack(from);
    if (open_.may_have_abandoned(from.slot, kept)) [[unlikely]] {
        kept = end_abandoned(from.slot, kept);
    }
    return write_stack(kept);
}

/// Returns: the place behind the stack of the event.
std::byte* thread_log::write_stack(unsigned kept) noexcept {
    const std::size_t bytes =
        trace::most_event_bytes + encoded_bytes(stack_.depth() - kept, most_levels_written);
    unsigned already_written = kept;
    if (full_stack_ || static_cast<std::size_t>(limit_ - at_) < bytes) [[unlikely]] {
        // The next chunk begins with the full stack, and may begin here.
        if (!has_room(bytes + encoded_bytes(kept, most_levels_repeated))) {
            return nullptr;
        }
        if (full_stack_) {
            already_written = 0;
        }
        full_stack_ = false;
    }
    return write_levels(write_time(at_ + 1), kept, already_written);
}

/// Effects: drops the rules if the call comes from the loader and code was unloaded. A skipped event may be the only one
/// that shows it.
void thread_log::forget_unloaded(caller from) noexcept {
    const address caller_address = *reinterpret_cast<const address*>(from.slot);
    if (the_recording.unloaded.from_loader(caller_address) && the_recording.unloaded.happened())
        [[unlikely]] {
        the_recording.forget_code();
    }
}

/// Effects: updates `stack_` to that of the call.
/// Returns: the number of unchanged outer levels since the preceding event.
unsigned thread_log::update_stack(caller from) noexcept {
    forget_unloaded(from);
    unwind::rule_table& rules = the_recording.rules;
    const unsigned kept = stack_.update(from.slot, from.frame_base, rules);
    check_stack(stack_, from);
    sampler_.on_event(kept, stack_.depth());
    if (rules_seen_ != rules.rule_count()) [[unlikely]] {
        write_new_code(full_stack_ ? 0 : kept);
    }
    return kept;
}

void thread_log::write_gap() noexcept {
    if (has_room(trace::most_event_bytes)) {
        publish(record_kind::gap, trace::write_number(write_time(at_ + 1), sampler_.take_skipped()));
    }
}

std::byte* thread_log::write_time(std::byte* to) noexcept {
    const std::uint64_t timestamp = time_stamp();
    // The counters of two cores may differ by a few ticks.
    const std::uint64_t passed = timestamp > last_time_ ? timestamp - last_time_ : 0;
    last_time_ += passed;
    return trace::write_number(to, passed);
}

/// Effects: writes the stack without its outer `already_written` levels; `kept` of all levels are unchanged calls.
std::byte* thread_log::write_levels(std::byte* to, unsigned kept, unsigned already_written) noexcept {
    const unsigned depth = stack_.depth();
    to = trace::write_number(trace::write_number(to, already_written), depth - already_written);
    if (already_written == 0) [[unlikely]] {
        *to++ = static_cast<std::byte>(stack_.end());
        to = trace::write_number(to, kept);
        to = copy_ends(to, 0, kept, most_levels_repeated);
    }
    return copy_ends(to, kept, depth, most_levels_written);
}

/// Effects: writes the levels [begin, end); if there are more than `most`, only `most / 2` at each end.
std::byte* thread_log::copy_ends(std::byte* to, unsigned begin, unsigned end, unsigned most) const noexcept {
    if (end - begin <= most) [[likely]] {
        return copy_levels(to, begin, end);
    }
    const unsigned gap_begin = begin + most / 2;
    const unsigned gap_end = end - most / 2;
    to = copy_levels(to, begin, gap_begin);
    to = trace::write_level(trace::write_level(to, 0), gap_end - gap_begin);
    return copy_levels(to, gap_end, end);
}

std::byte* thread_log::copy_levels(std::byte* to, unsigned begin, unsigned end) const noexcept {
    for (unsigned index = begin; index < end; ++index) {
        to = trace::write_level(to, stack_.marked_address(index));
    }
    return to;
}

std::byte* thread_log::write_address(std::byte* to, const void* block) noexcept {
    const auto current = reinterpret_cast<address>(block);
    to = trace::write_number(to, trace::zigzag(static_cast<std::int64_t>(current - last_address_)));
    last_address_ = current;
    return to;
}

// A kill between two stores drops the record, because the byte in front of it is still the zero that ended the
// preceding record. So the order of the stores matters.
void thread_log::publish(record_kind kind, std::byte* end) noexcept {
    *end = std::byte{0};
    std::atomic_signal_fence(std::memory_order_release);
    *reinterpret_cast<volatile std::byte*>(at_) = static_cast<std::byte>(kind);
    at_ = end;
}

/// Effects: populates more of the chunk, or takes the next one, if there is no room for `bytes`.
/// Returns: false if recording has stopped.
bool thread_log::has_room(std::size_t bytes) noexcept {
    bytes += bytes_behind;
    while (static_cast<std::size_t>(limit_ - at_) < bytes) {
        if (chunk_ == nullptr) {
            return false;
        }
        auto* const chunk_end = reinterpret_cast<std::byte*>(chunk_) + trace::chunk_bytes;
        const auto remaining = static_cast<std::size_t>(chunk_end - limit_);
        if (static_cast<std::size_t>(chunk_end - at_) < bytes) {
            if (!next_chunk()) {
                return false;
            }
            continue;
        }
        // Pages that were populated before are cheap, so all are populated at once.
        const bool is_reused = chunk_->times_taken > 1;
        const std::size_t more = is_reused || remaining < populate_bytes ? remaining : populate_bytes;
        if (!the_recording.part.populate(limit_, more)) {
            close();
            return false;
        }
        limit_ += more;
    }
    return true;
}

bool thread_log::next_chunk() noexcept {
    if (chunk_ != nullptr) {
        chunk_->state.store(trace::chunk_state::full, std::memory_order_release);
    }
    chunk_ = the_recording.part.take_chunk();
    if (chunk_ == nullptr) {
        close();
        return false;
    }
    chunk_->thread = number_;
    at_ = reinterpret_cast<std::byte*>(chunk_) + sizeof(trace::chunk_header);
    limit_ = at_;
    if (!has_room(trace::most_event_bytes)) {
        return false;
    }
    write_thread_begin();
    return true;
}

void thread_log::write_thread_begin() noexcept {
    last_time_ = time_stamp();
    last_address_ = last_function_ = last_frame_ = 0;
    full_stack_ = true;
    std::byte* to = trace::write_number(at_ + 1, last_time_);
    to = trace::write_number(trace::write_number(to, number_), owner_.load(std::memory_order_relaxed));
    publish(record_kind::thread_begin, trace::write_number(to, begins_++));
}

void thread_log::close() noexcept {
    at_ = limit_ = nullptr;
    chunk_ = nullptr;
    the_recording.end(trace::stop_reason::requested);
}

void thread_log::write_new_code(unsigned kept) noexcept {
    const std::uint64_t rule_count = the_recording.rules.rule_count();
    for (unsigned index = kept; index < stack_.depth(); ++index) {
        unwind::code_object file;
        if (unwind::object_at(stack_.at(index).return_address - 1, file) && the_recording.code.is_new(file)) {
            write_code(file);
        }
    }
    rules_seen_ = rule_count;
}

void thread_log::write_code(const unwind::code_object& file) noexcept {
    const file_identity identity = file_identity::read(file);
    if (!has_room(trace::most_event_bytes + identity.build_id_bytes + identity.path_bytes)) {
        return;
    }
    std::byte* to = write_time(at_ + 1);
    to = trace::write_number(to, file.begin);
    to = trace::write_number(to, file.end);
    to = trace::write_number(to, identity.load_address);
    to = trace::write_text(to, identity.build_id, identity.build_id_bytes);
    publish(record_kind::code, trace::write_text(to, identity.path, identity.path_bytes));
}

} // namespace mallard::recorder
