/// Scopes that the program reports: marked scopes by name, and functions that were compiled to report each call.
///
///     thread 0    request > parse > object::add()     as a stack of levels, without gaps
///
/// Data model: a tree of the stacks of scopes; the current node of each thread; sums by scope and by stack.
/// Invariant: a thread in no scope is at the root, and costs nothing.
#pragma once

#include "profiler/blocks/call_table.hpp"
#include "profiler/scopes/thread_scopes.hpp"

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace mallard::advisor {

class marked_stacks {
public:
    struct marked_scope {
        bool is_function = false;
        std::uint64_t number = 0; ///< of the name, or of the function
    };

    explicit marked_stacks(function_lookup find_function);

    /// Requires: the kind is scope_begin, scope_end, function_enter or function_exit.
    void follow(const trace::event& event, std::uint64_t number, std::uint64_t ticks);

    /// Returns: the call of the thread's stack of scopes, for `freed`; no_call outside of all scopes.
    call_id allocated(std::uint32_t thread, std::uint64_t bytes, std::uint64_t ticks);
    void free_called(std::uint32_t thread);
    /// Effects: counts the free of a block that `by` allocated in thread `owner` at the event `number`.
    void freed(call_id by, std::uint32_t owner, std::uint64_t number, std::uint64_t bytes,
               std::uint64_t ticks, std::uint64_t life_ticks, std::uint64_t life_clock, bool elsewhere,
               bool temporary);
    void time(std::uint32_t thread, double ticks_inside, double ticks_recorder, std::uint64_t in_flight);
    /// Effects: closes the thread's scopes at the end of the recording.
    void finish(std::uint32_t thread, std::uint64_t ticks);

    [[nodiscard]] const std::vector<marked_scope>& known() const noexcept { return known_; }
    [[nodiscard]] const std::vector<scope_totals>& scopes() const noexcept { return scopes_; }
    [[nodiscard]] const scope_tree& stacks() const noexcept { return stacks_; }
    [[nodiscard]] const call_table& calls() const noexcept { return calls_; }
    [[nodiscard]] std::uint64_t unmatched_ends() const noexcept { return unmatched_; }

private:
    scope_id find_or_add_scope(std::uint64_t key);
    [[nodiscard]] bool is_inside(std::uint32_t thread) const noexcept {
        return thread < threads_.size() && threads_[thread].context() >= trace::stack_ends;
    }

    function_lookup find_function_;
    trace::context_tree contexts_;
    scope_tree stacks_;
    std::vector<marked_scope> known_;
    std::unordered_map<std::uint64_t, scope_id> scope_by_key_;
    std::vector<scope_totals> scopes_;
    std::vector<thread_scopes> threads_;
    call_table calls_;
    std::uint64_t unmatched_ = 0;
};

} // namespace mallard::advisor
