#include "advisor/blocks/recorded_pools.hpp"

#include <algorithm>

namespace mallard::advisor {

void recorded_pools::follow(const trace::event& event, const block_table& of_malloc) {
    const auto [found, is_new] = pools_.try_emplace(event.pool);
    pool& of = found->second;
    totals& sums = by_name_[trace::name_number(event.pool)];
    sums.pools += is_new;
    const auto drop = [&](std::unordered_map<std::uint64_t, live>::iterator at) {
        sums.live_bytes -= at->second.bytes;
        of.blocks.erase(at);
    };
    switch (event.kind) {
    case trace::record_kind::pool_allocated: {
        if (const auto there = of.blocks.find(event.address); there != of.blocks.end()) {
            drop(there);
        }
        of.blocks[event.address] = {event.bytes, of.allocations};
        of.order.push_back({event.address, of.allocations});
        ++of.allocations;
        ++sums.allocations;
        sums.bytes += event.bytes;
        sums.live_bytes += event.bytes;
        sums.peak_bytes = std::max(sums.peak_bytes, sums.live_bytes);
        break;
    }
    case trace::record_kind::pool_freed:
        if (const auto there = of.blocks.find(event.address); there != of.blocks.end()) {
            ++sums.frees;
            drop(there);
        } else {
            free_wrongly(event, sums, of_malloc);
        }
        break;
    case trace::record_kind::pool_released:
        ++sums.releases;
        while (!of.blocks.empty()) {
            drop(of.blocks.begin());
        }
        of.order.clear();
        of.allocations = 0;
        break;
    case trace::record_kind::pool_rolled_back: {
        const std::uint64_t left = of.allocations - std::min(of.allocations, event.bytes);
        while (!of.order.empty() && of.order.back().allocation >= left) {
            const auto there = of.blocks.find(of.order.back().address);
            if (there != of.blocks.end() && there->second.allocation == of.order.back().allocation) {
                drop(there);
            }
            of.order.pop_back();
        }
        of.allocations = left;
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
    if (const std::uint64_t owner = owner_of(event.address); owner != 0) {
        totals& sums = by_name_[trace::name_number(owner)];
        ++sums.freed_by_malloc;
        if (sums.first_wrong == 0) {
            sums.first_wrong = event.context;
        }
    }
}

void recorded_pools::free_wrongly(const trace::event& event, totals& sums, const block_table& of_malloc) {
    if (sums.first_wrong == 0) {
        sums.first_wrong = event.context;
    }
    if (owner_of(event.address) != 0) {
        ++sums.freed_of_other;
    } else if (of_malloc.contains(event.address)) {
        ++sums.freed_of_malloc;
    } else {
        ++sums.freed_after_end;
    }
}

std::uint64_t recorded_pools::owner_of(std::uint64_t address) {
    if (asked_ + pools_.size() > most_asked) {
        return 0;
    }
    asked_ += pools_.size();
    for (const auto& [number, each] : pools_) {
        if (each.blocks.contains(address)) {
            return number;
        }
    }
    return 0;
}

} // namespace mallard::advisor
