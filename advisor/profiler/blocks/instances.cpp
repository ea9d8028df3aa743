#include "profiler/blocks/instances.hpp"

#include <algorithm>
#include <ranges>

namespace mallard::advisor {

void instances::follow(const trace::event& event) {
    const std::uint64_t name = trace::name_number(event.address);
    const auto known = open_.find(event.address);
    if (event.kind == trace::record_kind::instance_begin || known == open_.end()) {
        // An instance that is entered without a beginning began before the recording.
        if (event.kind == trace::record_kind::instance_end ||
            event.kind == trace::record_kind::instance_leave) {
            return;
        }
        if (known != open_.end()) {
            all_[known->second].open = false;
        }
        open_[event.address] = all_.size();
        all_.push_back({name, true});
        ++by_name_[name].instances;
    }
    const std::size_t index = open_[event.address];
    std::vector<std::size_t>& of_thread = of_thread_[event.thread];
    switch (event.kind) {
    case trace::record_kind::instance_end:
        all_[index].open = false;
        open_.erase(event.address);
        break;
    case trace::record_kind::instance_enter:
        of_thread.push_back(index);
        break;
    case trace::record_kind::instance_leave: {
        const auto newest_first = of_thread | std::views::reverse;
        if (const auto at = std::ranges::find(newest_first, index); at != newest_first.end()) {
            of_thread.erase(std::next(at).base());
        }
        break;
    }
    default:
        break;
    }
}

void instances::allocated(std::uint32_t thread, std::uint64_t address, std::uint64_t bytes) {
    const auto of_thread = of_thread_.find(thread);
    if (of_thread == of_thread_.end() || of_thread->second.empty()) {
        return;
    }
    const std::size_t index = of_thread->second.back();
    if (!all_[index].open) {
        return;
    }
    blocks_[address] = {index, bytes};
    count& all = by_name_[all_[index].name].allocated;
    ++all.blocks;
    all.bytes += bytes;
}

void instances::freed(std::uint64_t address) {
    const auto at = blocks_.find(address);
    if (at == blocks_.end()) {
        return;
    }
    const instance& of = all_[at->second.instance];
    totals& sums = by_name_[of.name];
    count& all = of.open ? sums.contained : sums.escaped;
    ++all.blocks;
    all.bytes += at->second.bytes;
    blocks_.erase(at);
}

} // namespace mallard::advisor
