#include "recorder/log/thread_log.hpp"

#include "recorder/code/code_files.hpp"
#include "recorder/log/recording.hpp"
#include "recorder/log/stack_check.hpp"
#include "recorder/system/resident_pages.hpp"
#include "recorder/system/sandbox.hpp"
#include "recorder/system/thread.hpp"
#include "recorder/system/time_stamp.hpp"
#include "recorder/system/wiped_memory.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <new>

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
    if (bytes >= large_blocks::least_bytes) [[unlikely]] {
        the_recording.large.add(block, bytes);
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

void thread_log::write_resident(const void* block) noexcept {
    if (const auto ending = the_recording.large.take(block)) {
        write_resident(*ending);
    }
}

void thread_log::write_resident(const large_blocks::block& block) noexcept {
    const auto share = in_sandbox() ? std::nullopt : resident_share(block.address, block.bytes);
    if (share && has_room(trace::most_event_bytes)) {
        std::byte* const to = trace::write_number(write_time(at_ + 1), *share);
        publish(record_kind::resident, write_address(to, reinterpret_cast<const void*>(block.address)));
    }
}

void thread_log::write_large_blocks() noexcept {
    the_recording.large.take_all([this](const large_blocks::block& block) { write_resident(block); });
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

void thread_log::controlled(record_kind kind, caller from) noexcept {
    if (std::byte* const to = begin_event(from)) {
        publish(kind, to);
    }
}

void thread_log::prepare_for_sandbox(caller from) noexcept {
    the_recording.part.prepare_for_sandbox();
    stack_.update(from, the_recording.rules);
    stack_.prepare_for_sandbox();
}

void thread_log::write_ticks(std::uint64_t inside, std::uint64_t recorder) noexcept {
    if (has_room(trace::most_event_bytes)) {
        // 0 would mark the event as not timed.
        publish(record_kind::time_inside,
                trace::write_number(trace::write_number(write_time(at_ + 1), inside + 1), recorder + 1));
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
    const address caller_address = from.return_address();
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
    const unsigned kept = stack_.update(from, rules);
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
    close_for_recording();
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
    to = trace::write_number(to, arch::address_in_trace(file.begin));
    to = trace::write_number(to, arch::address_in_trace(file.end));
    to = trace::write_number(to, arch::address_in_trace(identity.load_address));
    to = trace::write_text(to, identity.build_id, identity.build_id_bytes);
    publish(record_kind::code, trace::write_text(to, identity.path, identity.path_bytes));
}

// ---- the marks of the program: scopes, names, blocks of pools, calls of instrumented functions ----

void thread_log::allocated_by_pool(std::uint64_t bytes, const void* block, std::uint64_t pool,
                                   caller from) noexcept {
    if (std::byte* to = begin_event(from)) {
        to = write_address(trace::write_number(to, bytes), block);
        publish(record_kind::pool_allocated, trace::write_number(to, pool));
    }
}

void thread_log::freed_to_pool(const void* block, std::uint64_t pool, caller from) noexcept {
    if (std::byte* const to = begin_event(from)) {
        publish(record_kind::pool_freed, trace::write_number(write_address(to, block), pool));
    }
}

void thread_log::rolled_back(std::uint64_t allocations, std::uint64_t pool, caller from) noexcept {
    if (std::byte* const to = begin_event(from)) {
        publish(record_kind::pool_rolled_back,
                trace::write_number(trace::write_number(to, allocations), pool));
    }
}

void thread_log::begins(record_kind kind, open_mark mark, caller from) noexcept {
    if (trace::is_of_function(kind)) {
        mark.call = enclosing_call(from);
        end_down_to(open_.find_abandoned(mark.call, stack_), from);
        end_down_to(open_.find_earlier(mark), from);
        write_call(kind, mark.id, mark.slot);
    } else {
        end_down_to(open_.find_earlier(mark), from);
        marked(kind, mark_number(mark), from);
        if (stack_.depth() >= 2) {
            mark.level = stack_.depth() - 1;
            mark.call = stack_.at(mark.level - 1);
        }
    }
    open_.push(mark);
}

/// Returns: the call of the function that called the recorder; a slot of 0 if its rule is not simple.
unwind::stack::level thread_log::enclosing_call(caller from) noexcept {
    const unwind::rule unwind_rule = the_recording.rules.find(from.return_address());
    if (unwind_rule.kind() != unwind::rule::simple) {
        return {0, 0, {}};
    }
    const address stack_pointer = from.slot + sizeof(address);
    const address frame =
        (unwind_rule.by_frame_pointer() ? from.frame_base : stack_pointer) + unwind_rule.frame_offset();
    const address return_at = frame - unwind_rule.return_below();
    stack_.begin_reading(from.slot);
    if (frame - sizeof(address) < stack_pointer || !stack_.can_read(return_at)) {
        return {0, 0, {}};
    }
    const unwind::caller outer{frame - sizeof(address), 0, arch::return_location(return_at)};
    return {outer.slot, outer.return_address(), outer.saved_return};
}

void thread_log::ends(record_kind end, std::uint64_t id, caller from) noexcept {
    if (!open_.pop_without_room()) [[likely]] {
        end_down_to(open_.find(end, id), from);
    } else if (trace::is_of_function(end)) {
        write_call(end, id, from.slot);
    } else {
        marked(end, id, from);
    }
}

/// Effects: writes the end of the mark at `place`, after the ends of all marks within it.
void thread_log::end_down_to(unsigned place, caller from) noexcept {
    while (place < open_.count()) {
        const open_mark ended = open_.pop();
        open_.suspend();
        if (trace::is_of_function(ended.end)) {
            write_call(ended.end, ended.id, ended.slot);
        } else {
            marked(ended.end, mark_number(ended), from);
        }
        open_.resume();
    }
}

/// Effects: writes the ends of the marks that were abandoned before the current event, whose stack is known but not yet written.
/// Returns: the number of levels that are written.
unsigned thread_log::end_abandoned(address slot, unsigned kept) noexcept {
    const unsigned place = open_.find_abandoned(slot, stack_);
    while (place < open_.count()) {
        const open_mark ended = open_.pop();
        if (trace::is_of_function(ended.end)) {
            write_call(ended.end, ended.id, ended.slot);
        } else if (std::byte* const to = write_stack(kept)) {
            publish(ended.end, trace::write_number(to, mark_number(ended)));
            kept = stack_.depth();
        }
    }
    return kept;
}

std::uint64_t thread_log::mark_number(const open_mark& mark) noexcept {
    return mark.end == record_kind::scope_end ? mark.name : mark.id;
}

// There are millions of such records, so the stack is not unwound, and that of the last event is kept.
void thread_log::write_call(record_kind kind, address function, address frame) noexcept {
    const address part = function >> function_part_bits;
    if (functions_seen_[part % function_parts] != part || functions_epoch_ != the_recording.rules.epoch())
        [[unlikely]] {
        write_function_file(function);
    }
    if (!has_room(trace::most_event_bytes)) [[unlikely]] {
        return;
    }
    function = arch::address_in_trace(function);
    std::byte* to = write_time(at_ + 1);
    to = trace::write_number(to, trace::zigzag(static_cast<std::int64_t>(function - last_function_)));
    to = trace::write_number(to, trace::zigzag(static_cast<std::int64_t>(frame - last_frame_)));
    last_function_ = function;
    last_frame_ = frame;
    publish(kind, to);
}

/// Effects: writes the function's file, unless the trace has it.
void thread_log::write_function_file(address function) noexcept {
    if (functions_epoch_ != the_recording.rules.epoch()) {
        functions_epoch_ = the_recording.rules.epoch();
        functions_seen_ = {};
    }
    unwind::code_object file;
    if (unwind::object_at(function, file) && the_recording.code.is_new(file)) {
        write_code(file);
    }
    const address part = function >> function_part_bits;
    functions_seen_[part % function_parts] = part;
}

void thread_log::write_name(std::uint32_t number) noexcept {
    const name_table::name name = the_recording.names.at(number);
    if (!has_room(trace::most_event_bytes + name.length)) {
        return;
    }
    std::byte* const to = trace::write_number(write_time(at_ + 1), number);
    publish(record_kind::name, trace::write_text(to, name.text, name.length));
    the_recording.names.is_written(number);
}

void thread_log::watch_stack() noexcept {
    ready_ = opened_ && !has_small_stack() && attachment_ == the_recording.attachments();
}

// ---- the logs of all threads ----

namespace {

constexpr address most_stack_bytes = address{1} << 30;

/// In a sandbox the answer is unknown; true loses events, but is safe.
bool on_alternate_stack() noexcept {
    if (in_sandbox()) {
        return true;
    }
    stack_t stack{};
    return ::sigaltstack(nullptr, &stack) == 0 && (stack.ss_flags & SS_ONSTACK) != 0;
}

constexpr unsigned most_logs = 1U << 16;

constinit std::array<std::atomic<thread_log*>, most_logs> logs{};

constinit std::atomic<unsigned> log_count{0};

__thread thread_log* own_log [[gnu::tls_model("initial-exec")]] = nullptr;

std::uint32_t thread_id() noexcept {
    return static_cast<std::uint32_t>(::syscall(SYS_gettid));
}

bool has_exited(std::uint32_t thread) noexcept {
    const int saved_errno = errno;
    const bool exited = ::syscall(SYS_tgkill, ::getpid(), thread, 0) != 0;
    errno = saved_errno;
    return exited;
}

constinit thread_end end_of_threads([](void* log) { static_cast<thread_log*>(log)->thread_ends(); });

} // namespace

thread_log* thread_log::mine() noexcept {
    thread_log* const log = own_log;
    if (log != nullptr && log->ready_) [[likely]] {
        return log;
    }
    return the_recording.is_off() ? nullptr : open_mine();
}

[[gnu::noinline]] thread_log* thread_log::open_mine() noexcept {
    if (is_of_recorder) {
        return nullptr;
    }
    thread_log* const former = own_log;
    const std::uint32_t attachment = the_recording.attachments();
    // The program may have called sigaltstack before the recorder was loaded.
    if (former == nullptr && attachment != 0) {
        learn_alternate_stack();
    }
    // An event of an earlier recording that a signal handler interrupted must end first.
    if (former != nullptr && former->attachment_ != attachment && former->inside_ != 0) {
        return nullptr;
    }
    const bool is_open = former != nullptr && former->opened_ && former->attachment_ == attachment;
    if (lacks_stack()) {
        if (is_open) {
            the_recording.part.header().nested_events.fetch_add(1, std::memory_order_relaxed);
        }
        return nullptr;
    }
    if (!the_recording.on()) {
        return nullptr;
    }
    if (is_open) {
        return former;
    }
    if (in_sandbox()) {
        the_recording.part.header().events_of_unknown_threads.fetch_add(1, std::memory_order_relaxed);
        return nullptr;
    }
    const std::uint32_t owner = thread_id();
    const bool is_own = own_log != nullptr && (own_log->opened_ || own_log->take_over(owner));
    thread_log* const log = is_own ? own_log : take(owner);
    if (log == nullptr) {
        the_recording.end(trace::stop_reason::no_memory);
        return nullptr;
    }
    own_log = log;
    if (log->attachment_ != attachment) {
        log->at_ = log->limit_ = nullptr;
        log->chunk_ = nullptr;
        log->attachment_ = attachment;
    }
    return log->begin() ? log : nullptr;
}

void close_all_logs() noexcept {
    const unsigned count = log_count.load(std::memory_order_acquire);
    for (unsigned index = 0; index < count && index < most_logs; ++index) {
        if (thread_log* const log = logs[index].load(std::memory_order_acquire)) {
            log->close_for_recording();
        }
    }
}

/// Returns: the log of an exited thread, or a new one; null if there is no memory.
thread_log* thread_log::take(std::uint32_t owner) noexcept {
    const unsigned count = log_count.load(std::memory_order_acquire);
    for (unsigned index = 0; index < count && index < most_logs; ++index) {
        thread_log* const log = logs[index].load(std::memory_order_acquire);
        if (log != nullptr && log->take_over(owner)) {
            return log;
        }
    }
    void* const memory = memory_wiped_at_fork(sizeof(thread_log));
    if (memory == nullptr) {
        return nullptr;
    }
    auto* const log = new (memory) thread_log;
    log->owner_.store(owner, std::memory_order_relaxed);
    const unsigned place = log_count.fetch_add(1, std::memory_order_acq_rel);
    if (place < most_logs) {
        logs[place].store(log, std::memory_order_release);
    }
    return log;
}

/// Returns: true if the log had no owner, or an exited one, and is now the caller's.
bool thread_log::take_over(std::uint32_t owner) noexcept {
    std::uint32_t previous = owner_.load(std::memory_order_acquire);
    const bool available = previous == 0 || (ending_ && (previous == owner || has_exited(previous)));
    return available && owner_.compare_exchange_strong(previous, owner);
}

bool thread_log::begin() noexcept {
    // The parent of the fork had a stack. Its addresses were lost with the log.
    if (!stack_.is_open() && !stack_.open()) {
        return false;
    }
    inside_ = reinterpret_cast<address>(__builtin_frame_address(0));
    stack_.forget();
    number_ = the_recording.part.header().threads.fetch_add(1, std::memory_order_relaxed);
    // Without a callback at its end, the thread counts as ending from the start, and the system is asked whether it has exited.
    ending_ = !end_of_threads.expect(this);
    begins_ = 0;
    rules_seen_ = 0;
    open_.clear();
    opened_ = true;
    watch_stack();
    random_ = static_cast<std::uint32_t>(time_stamp()) | 1;
    sampler_.begin(the_recording.sample_one_in, random_);
    const bool works = at_ == nullptr ? next_chunk() : has_room(trace::most_event_bytes);
    if (works) {
        write_thread_begin();
    }
    inside_ = 0;
    return works;
}

void thread_log::thread_ends() noexcept {
    if (attachment_ != the_recording.attachments()) {
        ending_ = true;
    }
    if (!opened_ || attachment_ != the_recording.attachments() ||
        !enter(reinterpret_cast<address>(__builtin_frame_address(0)))) {
        return;
    }
    if (has_room(trace::most_event_bytes)) {
        publish(record_kind::thread_end, write_time(at_ + 1));
    }
    ending_ = true;
    leave();
}

/// Returns: true if the thread left the recorder by longjmp, out of a signal handler that had interrupted it.
bool thread_log::was_abandoned(address frame) noexcept {
    // The stack grows down. A handler's frame is inside of the frame that it interrupted, or on a separate stack.
    if (frame <= inside_ || frame - inside_ > most_stack_bytes || on_alternate_stack()) {
        the_recording.part.header().nested_events.fetch_add(1, std::memory_order_relaxed);
        return false;
    }
    stack_.forget();
    full_stack_ = true;
    return true;
}

} // namespace mallard::recorder
