// The marks of a registry, and the rollbacks that make them stale.
#include "memory_below.hpp"

#include <mallard/impl/checking/block_registry.hpp>

#include <cstdint>
#include <cstdlib>
#include <new>
#include <utility>

namespace mallard::checking { inline namespace MALLARD_LIBRARY {

block_registry::state block_registry::current_state() noexcept {
    if (id_ == 0) {
        id_ = new_holder_id();
    }
    return {.id = id_, .ends = ends_, .rollbacks = rollbacks_, .next_number = next_number_};
}

bool block_registry::may_go_back(const state& to) noexcept {
    constexpr auto by = allocator_call::rollback;
    if (to.id != current_state().id) {
        report_misuse({.kind = misuse::foreign_mark, .detected_by = by});
        return false;
    }
    if (to.ends != ends_) {
        report_misuse({.kind = misuse::stale_mark, .detected_by = by, .ended_by = last_end_});
        return false;
    }
    for (const past_rollback* r = last_rollback_; r != nullptr && r->rollbacks > to.rollbacks; r = r->older) {
        if (r->next_number < to.next_number) {
            report_misuse({.kind = misuse::stale_mark, .detected_by = by, .ended_by = by});
            return false;
        }
    }
    return true;
}

void block_registry::remember_rollback(std::uint64_t next_number) noexcept {
    ++rollbacks_;
    forget_rollbacks(next_number);
    // Without memory for it, a stale mark may go unnoticed.
    if (void* const memory = std::malloc(sizeof(past_rollback))) {
        last_rollback_ = ::new (memory) past_rollback{last_rollback_, rollbacks_, next_number};
    }
}

/// Effects: forgets the rollbacks to `least_number` and above.
void block_registry::forget_rollbacks(std::uint64_t least_number) noexcept {
    while (last_rollback_ != nullptr && last_rollback_->next_number >= least_number) {
        std::free(std::exchange(last_rollback_, last_rollback_->older));
    }
}

}} // namespace mallard::checking::MALLARD_LIBRARY
