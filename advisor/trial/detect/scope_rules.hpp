/// A decision tree by return addresses: is an allocation made inside of the scope?
///
///     node 0: the return address of the allocation    | in a file, at an offset -> inside, outside, or node 1 |
///     node 1: the return address of its caller        | ...                                                   |
///
/// The profiler learns the tree from a recording (profiler/scopes/scope_rules.hpp). Nearly all allocations are decided
/// at node 0. A return address that the tree lacks decides nothing, unless it is libc's: what libc allocates for itself is outside.
/// Data model: the rows are offsets in files, because load addresses vary. A table by node and return address
/// caches them, also those that are missing: | tag 45 | outcome 19 |. Threads read and write its words without a lock.
/// Invariant: a word is valid as long as its code is loaded. `clear` is called after each unloading.
#pragma once

#include "recorder/arch/arch.hpp"
#include "trial/setting.hpp"

#include <array>
#include <atomic>
#include <cstdint>

namespace mallard::trial {

class scope_rules {
public:
    /// Effects: sets bit 0 of `seen` when an allocation of the scope is decided by a row for the first time, and
    /// that of `seen_excepted` for one that is excluded.
    void begin(const rule_rows& rows, std::atomic<std::uint32_t>& seen,
               std::atomic<std::uint32_t>& seen_excepted) noexcept {
        rows_ = &rows;
        seen_ = &seen;
        seen_excepted_ = &seen_excepted;
    }

    [[nodiscard]] bool empty() const noexcept { return rows_ == nullptr || rows_->count == 0; }

    /// Returns: the outcome of the return address at node 0, if it is cached; else `unknown`.
    /// Requires: the return address has at most `arch::address_bits` bits.
    [[nodiscard, gnu::always_inline]] std::uint32_t find_cached(std::uint64_t return_address) const noexcept {
        return outcome_in(places_[place_of(return_address)].load(std::memory_order_relaxed), return_address);
    }

    /// Returns: the outcome of the return address at a node of the tree: a decision, or the next node.
    /// Requires: the return address has at most `arch::address_bits` bits.
    [[nodiscard]] std::uint32_t find(std::uint32_t node, std::uint64_t return_address) noexcept {
        const std::uint64_t key = std::uint64_t{node} << address_bits | return_address;
        std::atomic<std::uint64_t>& place = places_[place_of(key)];
        const std::uint64_t cached = place.load(std::memory_order_relaxed);
        if (cached >> outcome_bits == key >> place_bits) [[likely]] {
            return outcome_in(cached, key);
        }
        const std::uint32_t outcome = look_up(node, return_address - 1);
        place.store(key >> place_bits << outcome_bits | outcome, std::memory_order_relaxed);
        return outcome;
    }

    /// Effects: forgets all cached rows.
    void clear() noexcept;

private:
    static constexpr unsigned address_bits = recorder::arch::address_bits;
    static constexpr unsigned place_bits = 14;
    static constexpr unsigned outcome_bits = 19;
    static constexpr std::uint64_t places = std::uint64_t{1} << place_bits;
    static_assert(rule_row::first_node + rule_rows::most < 1U << outcome_bits);
    // Tag and place determine the key, so a word belongs to one node and address.
    static_assert(rule_rows::most <= 1U << (64 - outcome_bits + place_bits - address_bits));

    static std::size_t place_of(std::uint64_t key) noexcept {
        return (key ^ key >> place_bits) & (places - 1);
    }
    /// Returns: the outcome in a cached word; `unknown` if it is that of another key.
    static std::uint32_t outcome_in(std::uint64_t cached, std::uint64_t key) noexcept {
        return cached >> outcome_bits == key >> place_bits
                   ? static_cast<std::uint32_t>(cached & ((1U << outcome_bits) - 1))
                   : rule_row::unknown;
    }

    [[gnu::cold, gnu::noinline]] std::uint32_t look_up(std::uint32_t node,
                                                       std::uint64_t instruction) noexcept;

    const rule_rows* rows_ = nullptr;
    std::atomic<std::uint32_t>* seen_ = nullptr;
    std::atomic<std::uint32_t>* seen_excepted_ = nullptr;
    std::array<std::atomic<std::uint64_t>, places> places_{};
};

} // namespace mallard::trial
