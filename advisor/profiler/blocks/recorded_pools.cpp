#include "profiler/blocks/recorded_pools.hpp"

#include <algorithm>

namespace mallard::advisor {

void recorded_pools::follow(const trace::event& event, const block_table& of_malloc) {
    const auto [known, is_new] = pools_.try_emplace(event.pool);
    pool& state = known->second;
    totals& sums = by_name_[trace::name_number(event.pool)];
    sums.pools += is_new;
    const auto drop = [&](std::unordered_map<std::uint64_t, live>::iterator entry) {
        sums.live_bytes -= entry->second.bytes;
        state.blocks.erase(entry);
    };
    switch (event.kind) {
    case trace::record_kind::pool_allocated: {
        if (const auto entry = state.blocks.find(event.address); entry != state.blocks.end()) {
            drop(entry);
        }
        state.blocks[event.address] = {event.bytes, state.allocations};
        state.order.push_back({event.address, state.allocations});
        ++state.allocations;
        ++sums.allocations;
        sums.bytes += event.bytes;
        sums.live_bytes += event.bytes;
        sums.peak_bytes = std::max(sums.peak_bytes, sums.live_bytes);
        break;
    }
    case trace::record_kind::pool_freed:
        if (const auto entry = state.blocks.find(event.address); entry != state.blocks.end()) {
            ++sums.frees;
            drop(entry);
        } else {
            free_wrongly(event, sums, of_malloc);
        }
        break;
    case trace::record_kind::pool_released:
        ++sums.releases;
        while (!state.blocks.empty()) {
            drop(state.blocks.begin());
        }
        state.order.clear();
        state.allocations = 0;
        break;
    case trace::record_kind::pool_rolled_back: {
        const std::uint64_t remaining = state.allocations - std::min(state.allocations, event.bytes);
        while (!state.order.empty() && state.order.back().allocation >= remaining) {
            const auto entry = state.blocks.find(state.order.back().address);
            if (entry != state.blocks.end() && entry->second.allocation == state.order.back().allocation) {
                drop(entry);
            }
            state.order.pop_back();
        }
        state.allocations = remaining;
        break;
    }
    default:
        break;
    }
}

void recorded_pools::free_by_malloc(const trace::event& event) {
    if (pools_.empty()) {
        return;
    }
    if (const std::uint64_t owner = find_owner(event.address); owner != 0) {
        totals& sums = by_name_[trace::name_number(owner)];
        ++sums.frees_by_malloc;
        if (sums.first_wrong == 0) {
            sums.first_wrong = event.context;
        }
    }
}

void recorded_pools::free_wrongly(const trace::event& event, totals& sums, const block_table& of_malloc) {
    if (sums.first_wrong == 0) {
        sums.first_wrong = event.context;
    }
    if (find_owner(event.address) != 0) {
        ++sums.wrong_pool_frees;
    } else if (of_malloc.contains(event.address)) {
        ++sums.malloc_block_frees;
    } else {
        ++sums.stale_frees;
    }
}

std::uint64_t recorded_pools::find_owner(std::uint64_t address) {
    if (searched_pools_ + pools_.size() > max_searched_pools) {
        return 0;
    }
    searched_pools_ += pools_.size();
    for (const auto& [number, candidate] : pools_) {
        if (candidate.blocks.contains(address)) {
            return number;
        }
    }
    return 0;
}

} // namespace mallard::advisor
