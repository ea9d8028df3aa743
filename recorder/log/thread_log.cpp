#include "recorder/log/thread_log.hpp"

#include "recorder/code/file_identity.hpp"
#include "recorder/log/recording.hpp"
#include "recorder/log/stack_check.hpp"

#include <atomic>
#include <cstddef>

namespace mallard::recorder {

namespace {

// The system is asked for this much of a chunk at once.
constexpr std::size_t populate_bytes = std::size_t{32} << 10;
// More new levels are written without their middle. A chunk has room for one such event.
constexpr unsigned most_levels_written = 32'768;
// A chunk repeats levels of the event before for readers that lack the chunk before. More of them are written without their
// middle, so that a chunk that begins on a deep stack still has room for events.
constexpr unsigned most_levels_repeated = 1024;
// Levels are written as eight bytes each, of which six count, and a zero ends the last record.
constexpr std::size_t bytes_behind = 16;

std::size_t bytes_of_levels(unsigned levels, unsigned most) noexcept {
    return trace::level_bytes * std::size_t{levels <= most ? levels : most + 2};
}

} // namespace

bool thread_log::allocated(record_kind kind, std::uint64_t bytes, const void* block, caller from) noexcept {
    if (sampler_.leaves_out(false)) [[unlikely]] {
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
        if (sampler_.leaves_out(freed_is_sampled_)) {
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
        sampler_.leave_out();
        return;
    }
    if (sampler_.is_on() && freed_is_sampled_) [[unlikely]] {
        add_sampled(block);
    }
    if (std::byte* const to = begin_event(from)) {
        publish(record_kind::realloc_failed, write_address(to, block));
    }
}

/// Effects: the end of the block will be recorded, in a gap too.
void thread_log::add_sampled(const void* block) noexcept {
    if (!the_recording.sampled.add(block)) {
        the_recording.part.header().blocks_without_end.fetch_add(1, std::memory_order_relaxed);
    }
}

void thread_log::marked(record_kind kind, std::uint64_t which, caller from) noexcept {
    if (std::byte* const to = begin_event(from)) {
        publish(kind, trace::write_number(to, which));
    }
}

void thread_log::prepare_for_sandbox(caller from) noexcept {
    the_recording.part.prepare_for_sandbox();
    stack_.update(from.slot, from.frame_base, the_recording.rules);
    stack_.prepare_for_sandbox();
}

void thread_log::took(std::uint64_t inside, std::uint64_t recorder) noexcept {
    if (has_room(trace::most_event_bytes)) {
        publish(record_kind::time_inside,
                trace::write_number(trace::write_number(write_time(at_ + 1), inside), recorder));
    }
}

/// Effects: draws the distance to the next sample, from 1 to twice the usual one, so that no period of the program is hit
/// again and again.
bool thread_log::draw_sample(std::uint32_t between) noexcept {
    random_ ^= random_ << 13;
    random_ ^= random_ >> 17;
    random_ ^= random_ << 5;
    until_sample_ = 1 + static_cast<std::uint32_t>(std::uint64_t{random_} * (2 * between - 1) >> 32);
    return true;
}

/// Returns: the place behind the stack of an event that is not published yet; null if recording has ended.
std::byte* thread_log::begin_event(caller from) noexcept {
    if (sampler_.left_out() != 0) [[unlikely]] {
        write_gap();
    }
    unsigned kept = the_recording.stacks == trace::stack_source::none ? 0 : update_stack(from);
    if (open_.may_be_left(from.slot, kept)) [[unlikely]] {
        kept = end_left(from.slot, kept);
    }
    return write_stack(kept);
}

/// Returns: the place behind the stack of the event.
std::byte* thread_log::write_stack(unsigned kept) noexcept {
    const std::size_t bytes =
        trace::most_event_bytes + bytes_of_levels(stack_.depth() - kept, most_levels_written);
    unsigned written_before = kept;
    if (whole_stack_ || static_cast<std::size_t>(limit_ - at_) < bytes) [[unlikely]] {
        // Another chunk begins with the whole stack, and may begin here.
        if (!has_room(bytes + bytes_of_levels(kept, most_levels_repeated))) {
            return nullptr;
        }
        if (whole_stack_) {
            written_before = 0;
        }
        whole_stack_ = false;
    }
    return write_levels(write_time(at_ + 1), kept, written_before);
}

/// Effects: if the call comes from the loader, and code was unloaded, forgets the rules. An event that is left out may be the
/// only one that tells.
void thread_log::forget_unloaded(caller from) noexcept {
    const address caller_address = *reinterpret_cast<const address*>(from.slot);
    if (the_recording.unloaded.from_loader(caller_address) && the_recording.unloaded.happened())
        [[unlikely]] {
        the_recording.forget_code();
    }
}

/// Effects: `stack_` is that of the call.
/// Returns: the number of its outer levels that are the same as at the event before.
unsigned thread_log::update_stack(caller from) noexcept {
    forget_unloaded(from);
    unwind::rule_table& rules = the_recording.rules;
    const unsigned kept = stack_.update(from.slot, from.frame_base, rules);
    check_stack(stack_, from);
    sampler_.saw(kept, stack_.depth());
    if (rules_seen_ != rules.made()) [[unlikely]] {
        write_new_code(whole_stack_ ? 0 : kept);
    }
    return kept;
}

void thread_log::write_gap() noexcept {
    if (has_room(trace::most_event_bytes)) {
        publish(record_kind::gap, trace::write_number(write_time(at_ + 1), sampler_.take_left_out()));
    }
}

std::byte* thread_log::write_time(std::byte* to) noexcept {
    const std::uint64_t now = time_stamp();
    // The counters of two cores may differ by some ticks.
    const std::uint64_t passed = now > last_time_ ? now - last_time_ : 0;
    last_time_ += passed;
    return trace::write_number(to, passed);
}

/// Effects: writes the stack, without the outer levels that are `written_before`; `kept` of them are the same calls.
std::byte* thread_log::write_levels(std::byte* to, unsigned kept, unsigned written_before) noexcept {
    const unsigned depth = stack_.depth();
    to = trace::write_number(trace::write_number(to, written_before), depth - written_before);
    if (written_before == 0) [[unlikely]] {
        *to++ = static_cast<std::byte>(stack_.end());
        to = trace::write_number(to, kept);
        to = copy_ends(to, 0, kept, most_levels_repeated);
    }
    return copy_ends(to, kept, depth, most_levels_written);
}

/// Effects: writes the levels [begin, end), of more than `most` only as many at both ends.
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
    for (unsigned which = begin; which < end; ++which) {
        to = trace::write_level(to, stack_.address_of(which));
    }
    return to;
}

std::byte* thread_log::write_address(std::byte* to, const void* block) noexcept {
    const auto now = reinterpret_cast<address>(block);
    to = trace::write_number(to, trace::zigzag(static_cast<std::int64_t>(now - last_address_)));
    last_address_ = now;
    return to;
}

// A kill between two stores leaves the record out, because the byte in front of it is still the zero that ended the
// record before. So the order of the stores is kept.
void thread_log::publish(record_kind kind, std::byte* end) noexcept {
    *end = std::byte{0};
    std::atomic_signal_fence(std::memory_order_release);
    *reinterpret_cast<volatile std::byte*>(at_) = static_cast<std::byte>(kind);
    at_ = end;
}

/// Effects: asks for more of the chunk, or for another one, if there is no room for `bytes`.
/// Returns: false if recording has ended.
bool thread_log::has_room(std::size_t bytes) noexcept {
    bytes += bytes_behind;
    while (static_cast<std::size_t>(limit_ - at_) < bytes) {
        if (chunk_ == nullptr) {
            return false;
        }
        auto* const chunk_end = reinterpret_cast<std::byte*>(chunk_) + trace::chunk_bytes;
        const auto left = static_cast<std::size_t>(chunk_end - limit_);
        if (static_cast<std::size_t>(chunk_end - at_) < bytes) {
            if (!next_chunk()) {
                return false;
            }
            continue;
        }
        // Pages that were there before cost little, so all are asked for at once.
        const bool again = chunk_->times_taken > 1;
        const std::size_t more = again || left < populate_bytes ? left : populate_bytes;
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
    whole_stack_ = true;
    std::byte* to = trace::write_number(at_ + 1, last_time_);
    to = trace::write_number(trace::write_number(to, number_), owner_.load(std::memory_order_relaxed));
    publish(record_kind::thread_begin, trace::write_number(to, begins_++));
}

void thread_log::close() noexcept {
    at_ = limit_ = nullptr;
    chunk_ = nullptr;
    the_recording.end(trace::stop_reason::asked);
}

void thread_log::write_new_code(unsigned kept) noexcept {
    const std::uint64_t made = the_recording.rules.made();
    for (unsigned which = kept; which < stack_.depth(); ++which) {
        unwind::code_object file;
        if (unwind::object_at(stack_.at(which).return_address - 1, file) && the_recording.code.is_new(file)) {
            write_code(file);
        }
    }
    rules_seen_ = made;
}

void thread_log::write_code(const unwind::code_object& file) noexcept {
    const file_identity identity = file_identity::of(file);
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
