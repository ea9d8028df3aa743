#include "trace/chunk/chunk_parser.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>

namespace mallard::trace {

bool thread_stack::begin(std::uint64_t kept, stack_end end) {
    std::uint64_t levels_in_gaps = 0;
    std::size_t gaps = 0;
    for (; gaps < gaps_.size(); ++gaps) {
        const gap& current = gaps_[gaps];
        const std::uint64_t first_level = current.node + levels_in_gaps;
        if (kept <= first_level) {
            break;
        }
        levels_in_gaps += std::min(current.levels, kept - first_level) - 1;
    }
    const std::uint64_t nodes = kept - levels_in_gaps;
    if (nodes > size_) {
        return false;
    }
    if (gaps != 0 && gaps_[gaps - 1].node + 1 == nodes) {
        // The innermost kept level is within a gap, whose inner levels were dropped.
        std::uint64_t outside = gaps_[gaps - 1].node;
        for (std::size_t index = 0; index + 1 < gaps; ++index) {
            outside += gaps_[index].levels - 1;
        }
        gaps_[gaps - 1].levels = kept - outside;
    }
    gaps_.resize(gaps);
    const context_id previous_root = root_;
    if (kept == 0) {
        root_ = context_tree::root(end);
    }
    previous_size_ = size_;
    size_ = static_cast<std::size_t>(nodes);
    kept_ = equal_ = static_cast<std::uint32_t>(nodes);
    diverged_ = root_ != previous_root;
    return true;
}

void thread_stack::add_gap(std::uint64_t levels, context_tree& tree) {
    gaps_.push_back({size_, levels});
    add(context_tree::omitted_levels, tree);
}

void thread_stack::add(std::uint64_t address, context_tree& tree) {
    if (!diverged_ && size_ < previous_size_ && tree.address(nodes_[size_]) == address) {
        ++size_;
        ++equal_;
        return;
    }
    diverged_ = true;
    const context_id node = tree.child(context(), address);
    if (size_ == nodes_.size()) {
        nodes_.push_back(node);
    } else {
        nodes_[size_] = node;
    }
    ++size_;
}

namespace {

std::uint64_t read_level(byte_reader& from) {
    const auto bytes = from.take(level_bytes);
    if constexpr (std::endian::native == std::endian::little) {
        std::uint64_t level = 0;
        std::memcpy(&level, bytes.data(), level_bytes);
        return level;
    }
    std::uint64_t level = 0;
    for (std::size_t index = 0; index < level_bytes; ++index) {
        level |= std::to_integer<std::uint64_t>(bytes[index]) << 8 * index;
    }
    return level;
}

} // namespace

bool chunk_parser::parse(std::span<const std::byte> records, chunk_sink& sink) {
    from_ = byte_reader(records);
    thread_ = nullptr;
    try {
        parse_records(sink);
        return true;
    } catch (const bad_bytes&) {
        contexts_->end_run(); // of an incomplete stack
        if (thread_ != nullptr) {
            thread_->next_begin = thread::unknown;
        }
        return false;
    }
}

void chunk_parser::pass_thread(std::uint32_t number) {
    threads_[number] = std::make_unique<thread>();
}

void chunk_parser::parse_records(chunk_sink& sink) {
    while (from_.remaining() != 0) {
        const auto kind = static_cast<record_kind>(from_.byte());
        if (kind == record_kind::end) {
            return;
        }
        parse_record(kind, sink);
    }
}

void chunk_parser::parse_record(record_kind kind, chunk_sink& sink) {
    if (kind == record_kind::thread_begin) {
        parse_thread_begin(sink);
        return;
    }
    if (!is_known(kind)) {
        throw bad_bytes("a record of an unknown kind");
    }
    pass_time();
    if (has_stack(kind)) {
        event result = new_event(kind);
        parse_stack(result);
        parse_fields(result);
        sink.take(result, thread_->stack.end());
        return;
    }
    switch (kind) {
    case record_kind::thread_end:
        sink.take(new_event(kind), stack_end::outermost);
        break;
    case record_kind::time_inside: {
        const std::uint64_t inside = from_.number();
        sink.take_ticks(number_, inside, from_.number());
        break;
    }
    case record_kind::function_enter:
    case record_kind::function_exit: {
        event result = new_event(kind);
        result.address = places_.find_level(follow(thread_->last_function), thread_->last_ticks);
        result.bytes = follow(thread_->last_frame);
        sink.take(result, stack_end::outermost);
        break;
    }
    case record_kind::resident: {
        event result = new_event(kind);
        parse_fields(result);
        sink.take(result, stack_end::outermost);
        break;
    }
    case record_kind::gap: {
        event result = new_event(kind);
        result.bytes = from_.number();
        sink.take(result, stack_end::outermost);
        break;
    }
    case record_kind::code: {
        code_file file;
        file.begin = from_.number();
        file.end = from_.number();
        file.load_address = from_.number();
        file.build_id = from_.text();
        file.path = from_.text();
        file.first_ticks = thread_->last_ticks;
        places_.add(file);
        sink.take(std::move(file));
        break;
    }
    case record_kind::name:
        sink.take(read_name(from_));
        break;
    default:
        break;
    }
}

void chunk_parser::parse_thread_begin(chunk_sink& sink) {
    const std::uint64_t ticks = from_.number();
    number_ = static_cast<std::uint32_t>(from_.number_up_to(UINT32_MAX));
    from_.number(); // the thread ID
    const std::uint64_t begins = from_.number();
    std::unique_ptr<thread>& entry = threads_[number_];
    const bool is_new = entry == nullptr;
    if (is_new) {
        entry = std::make_unique<thread>();
    }
    thread_ = entry.get();
    thread_->last_ticks = std::max(thread_->last_ticks, ticks);
    thread_->last_address = thread_->last_function = thread_->last_frame = 0;
    thread_->full_stack = true;
    thread_->follows = begins == thread_->next_begin;
    thread_->next_begin = begins + 1;
    if (is_new) {
        sink.take(new_event(record_kind::thread_begin), stack_end::outermost);
    }
}

void chunk_parser::pass_time() {
    if (thread_ == nullptr) {
        throw bad_bytes("a record without a thread");
    }
    const std::uint64_t passed = from_.number();
    if (passed > std::numeric_limits<std::uint64_t>::max() - thread_->last_ticks) {
        throw bad_bytes("a time that is too late");
    }
    thread_->last_ticks += passed;
}

void chunk_parser::parse_fields(event& result) {
    if (has_bytes(result.kind)) {
        result.bytes = from_.number();
    }
    if (has_address(result.kind)) {
        result.address = follow(thread_->last_address);
    }
    if (has_number(result.kind)) {
        result.address = from_.number();
    }
    if (is_of_pool(result.kind)) {
        result.pool = from_.number();
    }
}

/// Returns: the next address, coded relative to `last`, which it replaces.
std::uint64_t chunk_parser::follow(std::uint64_t& last) {
    return last += static_cast<std::uint64_t>(from_.signed_number());
}

void chunk_parser::parse_stack(event& result) {
    thread_stack& stack = thread_->stack;
    const std::uint64_t kept = from_.number();
    std::uint64_t more = from_.number();
    const auto end = static_cast<stack_end>(kept == 0 ? from_.number_up_to(stack_ends - 1) : 0);
    const std::uint64_t repeated = kept == 0 ? from_.number() : 0;
    // Before the first event of the chunk, the stack is that of an earlier chunk. The record keeps none of its levels, unless
    // that chunk was the preceding one of the thread: then its levels are known without gaps.
    const bool is_known = thread_->full_stack && thread_->follows && repeated != 0;
    if ((kept != 0 && thread_->full_stack) || !stack.begin(is_known ? repeated : kept, end)) {
        throw bad_bytes("more levels kept than there were");
    }
    std::uint64_t levels = 0;
    std::uint32_t repeated_nodes = 0;
    while (more != 0) {
        if (levels < repeated) {
            ++repeated_nodes;
        }
        const std::uint64_t level = read_level(from_);
        ++levels;
        const bool is_new = !is_known || levels > repeated;
        if (level != context_tree::omitted_levels) {
            if (is_new) {
                stack.add(places_.find_level(level, thread_->last_ticks), *contexts_);
            }
            --more;
            continue;
        }
        const std::uint64_t omitted = read_level(from_);
        if (omitted == 0 || omitted > more) {
            throw bad_bytes("a gap with more levels than the stack");
        }
        levels += omitted - 1;
        more -= omitted;
        if (is_new) {
            stack.add_gap(omitted, *contexts_);
        } else if (levels > repeated) {
            throw bad_bytes("a gap across the repeated levels");
        }
    }
    contexts_->end_run();
    result.context = stack.context();
    // The chunk with the preceding event may be lost. So levels that differ from the last known ones are new.
    result.kept = kept == 0 && !is_known ? std::min(repeated_nodes, stack.equal()) : stack.kept();
    thread_->full_stack = false;
}

event chunk_parser::new_event(record_kind kind) const {
    event result;
    result.kind = kind;
    result.thread = number_;
    result.ticks = thread_->last_ticks;
    return result;
}

} // namespace mallard::trace
