#include "profiler/scopes/open_scopes.hpp"

#include "profiler/scopes/size_class.hpp"

namespace mallard::advisor {

namespace {

constexpr std::uint64_t page_bytes = 4096;

// x86-64's baseline has half the width of most processors.
#if defined(__x86_64__)
#define MALLARD_WIDER [[gnu::target_clones("avx2", "default")]]
#else
#define MALLARD_WIDER
#endif

/// Effects: each group notes its highest live bytes before it loses `bytes`.
/// Complexity: O(count), the processor does several at a time.
MALLARD_WIDER void lose(double running, double* __restrict bases, double* __restrict peaks, std::size_t count,
                        double bytes) noexcept {
    for (std::size_t at = 0; at < count; ++at) {
        const double live = running - bases[at];
        peaks[at] = peaks[at] < live ? live : peaks[at];
        bases[at] += bytes;
    }
}

double to_double(wide_number number) noexcept {
    const auto high = static_cast<std::uint64_t>(number >> 64);
    return high == 0 ? static_cast<double>(static_cast<std::uint64_t>(number)) : static_cast<double>(number);
}

} // namespace

void open_scopes::begin_group(std::uint64_t number, std::uint64_t ticks) {
    const auto running = static_cast<double>(bytes_);
    begins_.push_back(number);
    bases_.push_back(running);
    peaks_.push_back(0);
    activation& group = activations_.emplace_back();
    group.first_scope = scopes_.size();
    group.ticks = ticks;
    group.allocations = allocations_;
    group.bytes = bytes_;
    group.frees = frees_;
    group.bytes_ticks = bytes_ticks_;
    group.returned_at = running;
}

void open_scopes::freed(std::size_t count, std::uint64_t bytes, std::uint64_t ticks,
                        bool by_this_thread) noexcept {
    if (count == 0) {
        return;
    }
    activation& inner = activations_[count - 1];
    ++inner.contained;
    ++inner.owned;
    inner.contained_bytes += bytes;
    inner.owned_bytes += bytes;
    inner.contained_bytes_ticks += wide_number{bytes} * ticks;
    inner.own_frees += by_this_thread;
    if (bytes == 0) {
        return;
    }
    const auto running = static_cast<double>(bytes_);
    lose(running, bases_.data(), peaks_.data(), count, static_cast<double>(bytes));
    // Outer groups have at least as many live bytes as inner ones.
    for (std::size_t at = count; at-- > 0 && bases_[at] == running;) {
        activation& emptied = activations_[at];
        ++emptied.returns;
        emptied.most_between_returns =
            std::max(emptied.most_between_returns, static_cast<std::uint64_t>(running - emptied.returned_at));
        emptied.returned_at = running;
    }
}

scope_addition open_scopes::group_addition(std::uint64_t ticks, bool at_end) const noexcept {
    const activation& ended = activations_.back();
    scope_addition addition;
    addition.ticks = ticks - ended.ticks;
    addition.at_end = at_end;
    addition.frees = frees_ - ended.frees;
    addition.frees_older = addition.frees > ended.own_frees;
    addition.allocations = allocations_ - ended.allocations;
    if (addition.allocations == 0) {
        return addition;
    }
    const auto running = static_cast<double>(bytes_);
    addition.bytes = bytes_ - ended.bytes;
    addition.contained = ended.contained;
    addition.contained_bytes = ended.contained_bytes;
    addition.peak = static_cast<std::uint64_t>(std::max(peaks_.back(), running - bases_.back()));
    addition.pages = (addition.bytes + page_bytes - 1) / page_bytes;
    const wide_number region = wide_number{addition.bytes} * ticks - (bytes_ticks_ - ended.bytes_ticks);
    const wide_number returned = wide_number{ended.contained_bytes} * ticks - ended.contained_bytes_ticks;
    addition.region_area = to_double(region);
    addition.live_area = to_double(region - returned);
    addition.returns = ended.returns;
    addition.most_between_returns =
        std::max(ended.most_between_returns, static_cast<std::uint64_t>(running - ended.returned_at));
    addition.class_of_bytes = to_size_class(addition.bytes);
    addition.class_of_peak = to_size_class(addition.peak);
    return addition;
}

void open_scopes::close_in_last_group(std::size_t kept, std::uint64_t ticks,
                                      std::vector<scope_totals>& totals, bool at_end) {
    const scope_addition sums = group_addition(ticks, at_end);
    activation& group = activations_.back();
    scope_totals& innermost = totals[scopes_.back()];
    innermost.owned += group.owned;
    innermost.owned_bytes += group.owned_bytes;
    group.owned = group.owned_bytes = 0;
    const std::size_t remaining = std::max(kept, group.first_scope);
    for (std::size_t scope = remaining; scope < scopes_.size(); ++scope) {
        totals[scopes_[scope]].prefetch(sums);
    }
    while (scopes_.size() > remaining) {
        scope_totals& to = totals[scopes_.back()];
        count_thread(scopes_.back(), to);
        to.add(sums);
        scopes_.pop_back();
    }
    if (remaining == group.first_scope) {
        pop_group();
    }
}

void open_scopes::pop_group() {
    const activation& ended = activations_.back();
    if (activations_.size() > 1) {
        activation& outer = activations_[activations_.size() - 2];
        outer.contained += ended.contained;
        outer.contained_bytes += ended.contained_bytes;
        outer.contained_bytes_ticks += ended.contained_bytes_ticks;
        outer.own_frees += ended.own_frees;
    }
    begins_.pop_back();
    bases_.pop_back();
    peaks_.pop_back();
    activations_.pop_back();
}

void open_scopes::count_thread(scope_id scope, scope_totals& to) {
    if (to.last_thread == this) {
        return;
    }
    to.last_thread = this;
    if (known_.size() <= scope) {
        known_.resize(scope + 1);
    }
    if (!known_[scope]) {
        known_[scope] = true;
        ++to.threads;
    }
}

} // namespace mallard::advisor
