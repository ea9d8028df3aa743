#include "profiler/analysis/marked_stacks.hpp"

#include <utility>

namespace mallard::advisor {

namespace {

/// The lowest bit of a key distinguishes functions from names.
constexpr bool is_function(std::uint64_t key) noexcept {
    return (key & 1) != 0;
}

} // namespace

marked_stacks::marked_stacks(function_lookup find_function)
    : find_function_(std::move(find_function)), stacks_(contexts_, {}), calls_(stacks_) {}

scope_id marked_stacks::find_or_add_scope(std::uint64_t key) {
    const auto [entry, is_new] = scope_by_key_.try_emplace(key, static_cast<scope_id>(known_.size()));
    if (is_new) {
        known_.push_back({is_function(key), key >> 1});
        scopes_.emplace_back();
    }
    return entry->second;
}

void marked_stacks::follow(const trace::event& event, std::uint64_t number, std::uint64_t ticks) {
    // A level's address is one byte behind the call.
    const std::uint64_t key = trace::is_of_function(event.kind)
                                  ? std::uint64_t{find_function_(event.address + 1)} << 1 | 1
                                  : event.address << 1;
    if (event.thread >= threads_.size()) {
        threads_.resize(event.thread + 1);
    }
    thread_scopes& thread = threads_[event.thread];
    trace::context_id context = thread.context();
    if (event.kind == trace::record_kind::scope_begin || event.kind == trace::record_kind::function_enter) {
        const trace::context_id inner = contexts_.child(context, key);
        contexts_.end_run(); // each node may allocate, and have a call
        stacks_.add_new([this](std::uint64_t level) { return find_or_add_scope(level); });
        thread.follow(stacks_, inner, contexts_.depth(context), number, ticks, scopes_);
        return;
    }
    // A scope left by an exception or longjmp has no end of its own: it ends with the next outer scope.
    while (context >= trace::stack_ends && contexts_.address(context) != key) {
        context = contexts_.parent(context);
    }
    if (context < trace::stack_ends) {
        ++unmatched_;
        return;
    }
    const trace::context_id outer = contexts_.parent(context);
    thread.follow(stacks_, outer, contexts_.depth(outer), number, ticks, scopes_);
}

call_id marked_stacks::allocated(std::uint32_t thread, std::uint64_t bytes, std::uint64_t ticks) {
    if (!is_inside(thread)) {
        return no_call;
    }
    threads_[thread].scopes.allocated(bytes, ticks);
    const call_id call = calls_.find_or_add(threads_[thread].context());
    calls_.allocated(call, bytes);
    return call;
}

void marked_stacks::free_called(std::uint32_t thread) {
    if (!is_inside(thread)) {
        return;
    }
    threads_[thread].scopes.free_called();
    ++calls_[calls_.find_or_add(threads_[thread].context())].frees;
}

void marked_stacks::freed(call_id by, std::uint32_t owner, std::uint64_t number, std::uint64_t bytes,
                          std::uint64_t ticks, std::uint64_t life_ticks, std::uint64_t life_clock,
                          bool elsewhere, bool temporary) {
    calls_.freed(by, bytes, static_cast<double>(life_ticks), static_cast<double>(life_clock), elsewhere,
                 temporary);
    open_scopes& scopes = threads_[owner].scopes;
    scopes.freed(scopes.containing(number), bytes, ticks, !elsewhere);
}

void marked_stacks::time(std::uint32_t thread, double ticks_inside, double ticks_recorder,
                         std::uint64_t in_flight) {
    if (is_inside(thread)) {
        calls_.time(calls_.find_or_add(threads_[thread].context()), ticks_inside, ticks_recorder, in_flight);
    }
}

void marked_stacks::finish(std::uint32_t thread, std::uint64_t ticks) {
    if (thread < threads_.size()) {
        threads_[thread].scopes.close(0, ticks, scopes_, true);
    }
}

} // namespace mallard::advisor
