#include "trace/chunk/chunk_parser.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>

namespace mallard::trace {

namespace {

std::uint64_t read_level(byte_reader& from) {
    const auto bytes = from.take(level_bytes);
    if constexpr (std::endian::native == std::endian::little) {
        std::uint64_t level = 0;
        std::memcpy(&level, bytes.data(), level_bytes);
        return level;
    }
    std::uint64_t level = 0;
    for (std::size_t which = 0; which < level_bytes; ++which) {
        level |= std::to_integer<std::uint64_t>(bytes[which]) << 8 * which;
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
        mark_leaf(); // of a stack that breaks off
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
    while (from_.left() != 0) {
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
        event found = new_event(kind);
        parse_stack(found);
        parse_fields(found);
        sink.take(found, thread_->stack.end());
        return;
    }
    switch (kind) {
    case record_kind::thread_end:
        sink.take(new_event(kind), stack_end::outermost);
        break;
    case record_kind::time_inside: {
        const std::uint64_t inside = from_.number();
        sink.took(number_, inside, from_.number());
        break;
    }
    case record_kind::function_enter:
    case record_kind::function_exit: {
        event found = new_event(kind);
        found.address = follow(thread_->last_function);
        found.bytes = follow(thread_->last_frame);
        sink.take(found, stack_end::outermost);
        break;
    }
    case record_kind::gap: {
        event found = new_event(kind);
        found.bytes = from_.number();
        sink.take(found, stack_end::outermost);
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
    from_.number(); // the system's number of the thread
    const std::uint64_t begins = from_.number();
    std::unique_ptr<thread>& there = threads_[number_];
    const bool is_new = there == nullptr;
    if (is_new) {
        there = std::make_unique<thread>();
    }
    thread_ = there.get();
    thread_->last_ticks = std::max(thread_->last_ticks, ticks);
    thread_->last_address = thread_->last_function = thread_->last_frame = 0;
    thread_->whole_stack = true;
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

void chunk_parser::parse_fields(event& found) {
    if (has_bytes(found.kind)) {
        found.bytes = from_.number();
    }
    if (has_address(found.kind)) {
        found.address = follow(thread_->last_address);
    }
    if (has_number(found.kind)) {
        found.address = from_.number();
    }
    if (is_of_pool(found.kind)) {
        found.pool = from_.number();
    }
}

/// Returns: the address that follows from the one before, which it becomes.
std::uint64_t chunk_parser::follow(std::uint64_t& last) {
    return last += static_cast<std::uint64_t>(from_.signed_number());
}

void chunk_parser::parse_stack(event& found) {
    thread_stack& stack = thread_->stack;
    const std::uint64_t kept = from_.number();
    std::uint64_t more = from_.number();
    const auto end = static_cast<stack_end>(kept == 0 ? from_.number_up_to(stack_ends - 1) : 0);
    const std::uint64_t same = kept == 0 ? from_.number() : 0;
    // Until the first event of the chunk has come, the stack is that of a chunk before. No level of it is meant, unless that is
    // the last chunk of the thread: then its levels are known without gaps.
    const bool is_known = thread_->whole_stack && thread_->follows && same != 0;
    if ((kept != 0 && thread_->whole_stack) || !stack.begin(is_known ? same : kept, end)) {
        throw bad_bytes("more levels kept than there were");
    }
    std::uint64_t levels = 0;
    std::uint32_t same_nodes = 0;
    while (more != 0) {
        if (levels < same) {
            ++same_nodes;
        }
        const std::uint64_t level = read_level(from_);
        ++levels;
        const bool is_new = !is_known || levels > same;
        if (level != context_tree::left_out_levels) {
            if (is_new) {
                stack.add(level, contexts_->tree);
            }
            --more;
            continue;
        }
        const std::uint64_t left_out = read_level(from_);
        if (left_out == 0 || left_out > more) {
            throw bad_bytes("a gap with more levels than the stack");
        }
        levels += left_out - 1;
        more -= left_out;
        if (is_new) {
            stack.add_gap(left_out, contexts_->tree);
        } else if (levels > same) {
            throw bad_bytes("a gap across the levels that are the same");
        }
    }
    mark_leaf();
    found.context = stack.context();
    // The chunk with the event before may be lost. So levels that differ from those of the last known one are new.
    found.kept = kept == 0 && !is_known ? std::min(same_nodes, stack.equal()) : stack.kept();
    thread_->whole_stack = false;
}

/// Effects: the last node of the tree is a leaf.
void chunk_parser::mark_leaf() {
    const auto last = static_cast<context_id>(contexts_->tree.size() - 1);
    const context_id last_leaf =
        contexts_->leaves.empty() ? context_id{stack_ends - 1} : contexts_->leaves.back();
    if (last != last_leaf) {
        contexts_->leaves.push_back(last);
    }
}

event chunk_parser::new_event(record_kind kind) const {
    event made;
    made.kind = kind;
    made.thread = number_;
    made.ticks = thread_->last_ticks;
    return made;
}

} // namespace mallard::trace
