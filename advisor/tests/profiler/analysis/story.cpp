#include "profiler/analysis/story.hpp"

#include "profiler/report/profile_report.hpp"

#include <algorithm>
#include <stdexcept>

namespace mallard::test {

story& story::in_thread(std::uint32_t thread) {
    thread_ = thread;
    if (threads_.size() <= thread) {
        threads_.resize(thread + 1);
    }
    return *this;
}

story& story::call(const std::string& function, unsigned line) {
    thread_state& thread = threads_[thread_];
    if (!thread.frames.empty()) {
        thread.frames.back().line = line;
    }
    thread.frames.push_back({function, 1});
    return *this;
}

story& story::leave() {
    threads_[thread_].frames.pop_back();
    return *this;
}

story& story::lose_stacks(bool lost) {
    threads_[thread_].lost = lost;
    return *this;
}

story& story::wait(std::uint64_t ticks) {
    ticks_ += ticks;
    return *this;
}

std::uint64_t story::level(const std::string& function, unsigned line) {
    const auto entry = std::find(functions_.begin(), functions_.end(), function);
    const auto number = static_cast<advisor::scope_id>(entry - functions_.begin());
    if (entry == functions_.end()) {
        functions_.push_back(function);
    }
    const std::uint64_t address = 0x1000 * (std::uint64_t{number} + 1) + line;
    names_.add(address, number, function);
    return address;
}

trace::event& story::add(trace::record_kind kind, unsigned line) {
    thread_state& thread = threads_[thread_];
    if (!thread.frames.empty()) {
        thread.frames.back().line = line;
    }
    std::vector<std::uint64_t> shown;
    for (const frame& call_frame : thread.frames) {
        shown.push_back(level(call_frame.function, call_frame.line));
    }
    trace::context_id context =
        trace::context_tree::root(thread.lost ? trace::stack_end::unknown_code : trace::stack_end::outermost);
    for (const std::uint64_t address : shown) {
        context = contexts_.child(context, address);
    }
    std::uint32_t kept = 0;
    while (kept < std::min(shown.size(), thread.shown.size()) && shown[kept] == thread.shown[kept]) {
        ++kept;
    }
    thread.shown = shown;
    ++ticks_;
    trace::event& event = events_.emplace_back();
    event.ticks = ticks_;
    event.context = context;
    event.kept = kept;
    event.thread = thread_;
    event.kind = kind;
    return event;
}

story& story::place(block address) {
    next_ = address;
    return *this;
}

story::block story::allocate(std::uint64_t bytes, unsigned line, trace::record_kind kind) {
    trace::event& event = add(kind, line);
    event.address = next_;
    event.bytes = bytes;
    next_ += (bytes + 16) / 16 * 16;
    return event.address;
}

void story::free(block address, unsigned line, trace::record_kind kind) {
    add(kind, line).address = address;
}

story::block story::reallocate(block address, std::uint64_t bytes, unsigned line) {
    free(address, line, trace::record_kind::realloc_old);
    return allocate(bytes, line, trace::record_kind::realloc);
}

void story::mark(trace::record_kind kind, std::uint64_t number, std::uint64_t bytes, std::uint64_t pool) {
    trace::event& event = add(kind, 1);
    event.address = number;
    event.bytes = bytes;
    event.pool = pool;
}

void story::control(trace::record_kind kind, std::uint64_t ticks, unsigned line) {
    add(kind, line);
    time(ticks);
}

story& story::time(std::uint64_t ticks, std::uint64_t by_recorder) {
    events_.back().ticks_inside = ticks;
    events_.back().ticks_recorder = by_recorder;
    return *this;
}

const advisor::analysis& story::analysis() {
    if (analysis_) {
        return *analysis_;
    }
    const advisor::function_lookup find_function = [this](std::uint64_t address) {
        return names_.function_at(address);
    };
    process.ticks_per_second = 1e9;
    process.last_ticks = ticks_;
    process.stacks = trace::stack_source::descriptions;
    process.events = events_.size();
    stacks_ = std::make_unique<advisor::scope_tree>(contexts_, find_function);
    analysis_ = std::make_unique<advisor::analysis>(
        *stacks_, find_function,
        advisor::analysis::time_range{0, ticks_, 1e9, begin_ticks, end_ticks, process.stamp_ticks});
    analysis_->add(events_);
    analysis_->finish();
    return *analysis_;
}

const advisor::scope_totals& story::scope(const std::string& function) {
    const auto entry = std::find(functions_.begin(), functions_.end(), function);
    if (entry == functions_.end()) {
        throw std::runtime_error("the story has no function " + function);
    }
    return analysis().scopes()[static_cast<std::size_t>(entry - functions_.begin())];
}

const advisor::scope_totals& story::marked(std::uint64_t name) {
    const advisor::marked_stacks& marked = analysis().marked();
    for (std::size_t scope = 0; scope < marked.known().size(); ++scope) {
        if (!marked.known()[scope].is_function && marked.known()[scope].number == name) {
            return marked.scopes()[scope];
        }
    }
    throw std::runtime_error("the story has no mark " + std::to_string(name));
}

std::string story::profile(const std::optional<std::string>& in_depth, bool all_rows) {
    const advisor::analysis& results = analysis();
    advisor::report_request request;
    request.file = "story";
    request.processes = {process};
    request.marked_names = marked_names;
    request.memory = memory;
    request.scope = in_depth;
    request.all_rows = all_rows;
    request.suppressions = suppressions;
    return advisor::profile_report(results, names_, request);
}

} // namespace mallard::test
