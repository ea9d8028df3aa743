/// The nested scopes that a thread is in, with the figures of each activation.
///
///     group        0           1         2       scopes that began at the same event
///     begin        10    <     17    <   40      number of that event
///     scopes       main run    parse     a b c   the innermost last
///     live bytes         >=         >=           a block allocated now belongs to all of them
///
/// Data model: running totals of the thread, and for each group the totals at its beginning, so that an allocation
/// costs the same at any depth. Scopes of a group have the same blocks. A freed block counts for the groups that began
/// before its allocation, which are the outer ones. Sums of freed blocks are stored in the innermost of these groups,
/// and move to the next one when it closes.
/// Invariants: `begin` grows inwards. `base` is the running bytes without the group's live bytes, so it never falls
/// inwards.
#pragma once

#include "profiler/scopes/scope_totals.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace mallard::advisor {

__extension__ using wide_number = unsigned __int128;

class open_scopes {
public:
    [[nodiscard]] std::size_t size() const noexcept { return scopes_.size(); }
    [[nodiscard]] std::size_t groups() const noexcept { return begins_.size(); }
    /// Returns: the innermost scope of the group.
    [[nodiscard]] scope_id innermost(std::size_t group) const noexcept {
        return scopes_[group_end(group) - 1];
    }
    /// Returns: the index behind the last scope of the group.
    [[nodiscard]] std::size_t group_end(std::size_t group) const noexcept {
        return group + 1 < groups() ? activations_[group + 1].first_scope : scopes_.size();
    }
    [[nodiscard]] std::size_t group_begin(std::size_t group) const noexcept {
        return activations_[group].first_scope;
    }
    [[nodiscard]] scope_id scope(std::size_t index) const noexcept { return scopes_[index]; }

    /// Effects: begins an activation, as the innermost one.
    void open(scope_id scope, std::uint64_t number, std::uint64_t ticks) {
        if (begins_.empty() || begins_.back() != number) {
            begin_group(number, ticks);
        }
        scopes_.push_back(scope);
    }

    /// Effects: ends the innermost activations until `kept` remain, and adds their figures to `totals`, which has
    /// an element for each scope. With `at_end`, they are still open when the recording ends.
    void close(std::size_t kept, std::uint64_t ticks, std::vector<scope_totals>& totals,
               bool at_end = false) {
        while (size() > kept) {
            close_in_last_group(kept, ticks, totals, at_end);
        }
    }

    /// Effects: counts for each scope that it may have ended, and begun again.
    void count_steps_back(std::vector<scope_totals>& totals) const noexcept {
        for (const scope_id scope : scopes_) {
            ++totals[scope].steps_back;
        }
    }

    void allocated(std::uint64_t bytes, std::uint64_t ticks) noexcept {
        ++allocations_;
        bytes_ += bytes;
        bytes_ticks_ += wide_number{bytes} * ticks;
    }

    void free_called() noexcept { ++frees_; }

    /// Returns: the number of groups that contain a live block which the thread allocated at the event `number`.
    [[nodiscard]] std::size_t containing(std::uint64_t number) const noexcept {
        return static_cast<std::size_t>(std::ranges::upper_bound(begins_, number) - begins_.begin());
    }

    /// Effects: counts the free of a block that the `count` outermost groups contain.
    void freed(std::size_t count, std::uint64_t bytes, std::uint64_t ticks, bool by_this_thread) noexcept;

private:
    struct activation {
        std::size_t first_scope = 0;
        std::uint64_t ticks = 0;
        // The running totals at the beginning.
        std::uint64_t allocations = 0;
        std::uint64_t bytes = 0;
        std::uint64_t frees = 0;
        wide_number bytes_ticks = 0;
        // Freed blocks that the group contains; the sums of inner groups are added when they close.
        std::uint64_t contained = 0;
        std::uint64_t contained_bytes = 0;
        wide_number contained_bytes_ticks = 0;
        std::uint64_t own_frees = 0; ///< by this thread
        std::uint64_t owned = 0;     ///< since the group's innermost scope was the innermost
        std::uint64_t owned_bytes = 0;
        double returned_at = 0; ///< the running bytes when the live bytes were last 0
        std::uint64_t returns = 0;
        std::uint64_t most_between_returns = 0;
    };

    void begin_group(std::uint64_t number, std::uint64_t ticks);
    void close_in_last_group(std::size_t kept, std::uint64_t ticks, std::vector<scope_totals>& totals,
                             bool at_end);
    void pop_group();
    /// Returns: the addition of the group to the totals of each of its scopes, if it ends now.
    [[nodiscard]] scope_addition group_addition(std::uint64_t ticks, bool at_end) const noexcept;
    void count_thread(scope_id scope, scope_totals& to);

    std::uint64_t allocations_ = 0;
    std::uint64_t bytes_ = 0;
    std::uint64_t frees_ = 0;
    wide_number bytes_ticks_ = 0;

    std::vector<scope_id> scopes_;
    // By group. Bytes are whole numbers below 2^53, so doubles hold them exactly.
    std::vector<std::uint64_t> begins_;
    std::vector<double> bases_;
    std::vector<double> peaks_;
    std::vector<activation> activations_;

    std::vector<bool> known_; ///< by scope: true if it has been open in this thread
};

} // namespace mallard::advisor
