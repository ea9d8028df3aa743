#include "profiler/analysis/heap_snapshot.hpp"

#include <algorithm>
#include <array>

namespace mallard::advisor {

void heap_snapshot::take(std::uint64_t events, const block_table& blocks,
                         const std::vector<thread_scopes>& threads, std::vector<scope_totals>& totals) {
    next_ = events + std::max({first_snapshot, events / 64, 2 * std::uint64_t{blocks.size()}});
    read(blocks, threads);
    count_neighbours();
    count_pages();
    for (std::size_t thread = 0; thread < threads.size(); ++thread) {
        const thread_sums& sums = sums_[thread];
        const open_scopes& scopes = threads[thread].scopes;
        std::int64_t own = 0, bytes = 0, neighbours = 0, foreign = 0, pages = 0;
        for (std::size_t group = scopes.groups(); group > 0; --group) {
            own += sums.blocks[group];
            bytes += sums.bytes[group];
            neighbours += sums.neighbours[group];
            foreign += sums.foreign[group];
            pages += sums.pages[group];
            if (own < 2) {
                continue;
            }
            for (std::size_t scope = scopes.group_begin(group - 1); scope < scopes.group_end(group - 1);
                 ++scope) {
                scope_totals& to = totals[scopes.scope(scope)];
                ++to.snapshots;
                to.neighbours += static_cast<std::uint64_t>(neighbours);
                to.foreign_neighbours += static_cast<std::uint64_t>(foreign);
                to.pages_spanned += static_cast<std::uint64_t>(pages);
                to.pages_needed += (static_cast<std::uint64_t>(bytes) + 4095) >> page_shift;
            }
        }
    }
}

void heap_snapshot::read(const block_table& blocks, const std::vector<thread_scopes>& threads) {
    collect(blocks, threads);
    sort();
}

void heap_snapshot::collect(const block_table& blocks, const std::vector<thread_scopes>& threads) {
    sums_.resize(threads.size());
    for (std::size_t thread = 0; thread < threads.size(); ++thread) {
        thread_sums& sums = sums_[thread];
        for (std::vector<std::int64_t>* counts :
             {&sums.blocks, &sums.bytes, &sums.neighbours, &sums.foreign, &sums.pages}) {
            counts->assign(threads[thread].scopes.groups() + 1, 0);
        }
        sums.groups_of_last_page = 0;
        sums.groups_above = 0;
        sums.last_page = 0;
    }
    blocks_.clear();
    blocks_.reserve(blocks.size());
    blocks.for_each([&](const live_block& block) {
        const std::size_t groups =
            block.has_complete_stack ? threads[block.thread].scopes.containing(block.number) : 0;
        blocks_.push_back(
            {block.address, block.bytes, block.thread, static_cast<std::uint32_t>(groups), block.call});
        sums_[block.thread].blocks[groups] += 1;
        sums_[block.thread].bytes[groups] += static_cast<std::int64_t>(block.bytes);
    });
}

/// By digits of the address, the lowest first: several times as fast as a sort by comparisons.
void heap_snapshot::sort() {
    constexpr unsigned digit_bits = 11;
    constexpr std::uint64_t digits = std::uint64_t{1} << digit_bits;
    std::uint64_t differing = 0;
    for (const placed_block& block : blocks_) {
        differing |= block.address ^ blocks_.front().address;
    }
    sorted_.resize(blocks_.size());
    for (unsigned shift = 0; shift < 64 && differing >> shift != 0; shift += digit_bits) {
        if ((differing >> shift & (digits - 1)) == 0) {
            continue;
        }
        std::array<std::size_t, digits + 1> places{};
        for (const placed_block& block : blocks_) {
            ++places[(block.address >> shift & (digits - 1)) + 1];
        }
        for (std::size_t digit = 1; digit < digits; ++digit) {
            places[digit] += places[digit - 1];
        }
        for (const placed_block& block : blocks_) {
            sorted_[places[block.address >> shift & (digits - 1)]++] = block;
        }
        blocks_.swap(sorted_);
    }
}

/// From the highest address downwards. A pair counts for the groups that have its first block, unless that is their highest.
void heap_snapshot::count_neighbours() {
    for (std::size_t at = blocks_.size(); at-- > 0;) {
        const placed_block& block = blocks_[at];
        thread_sums& sums = sums_[block.thread];
        const std::uint32_t groups = std::min(block.groups, sums.groups_above);
        sums.groups_above = std::max(sums.groups_above, block.groups);
        if (groups == 0) {
            continue;
        }
        const placed_block& next = blocks_[at + 1];
        const std::uint32_t shared = next.thread == block.thread ? std::min(groups, next.groups) : 0;
        sums.neighbours[groups] += 1;
        sums.foreign[groups] += 1;
        sums.foreign[shared] -= 1;
    }
}

/// From the lowest address upwards. A page counts for a group when its first own block there is met.
void heap_snapshot::count_pages() {
    for (const placed_block& block : blocks_) {
        if (block.groups == 0) {
            continue;
        }
        thread_sums& sums = sums_[block.thread];
        const std::uint64_t first = block.address >> page_shift;
        const std::uint64_t last =
            std::max(first, (block.address + std::max<std::uint64_t>(block.bytes, 1) - 1) >> page_shift);
        const bool is_shared = sums.groups_of_last_page != 0 && first <= sums.last_page;
        if (!is_shared) {
            sums.pages[block.groups] += 1;
            sums.groups_of_last_page = block.groups;
        } else if (block.groups > sums.groups_of_last_page) {
            sums.pages[block.groups] += 1;
            sums.pages[sums.groups_of_last_page] -= 1;
            sums.groups_of_last_page = block.groups;
        }
        if (last > std::max(first, is_shared ? sums.last_page : 0)) {
            sums.pages[block.groups] += static_cast<std::int64_t>(last - first);
            sums.groups_of_last_page = block.groups;
        }
        sums.last_page = std::max(last, is_shared ? sums.last_page : 0);
    }
}

} // namespace mallard::advisor
