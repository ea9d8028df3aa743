#include "profiler/analysis/page_census.hpp"

namespace mallard::advisor {

template <class Visit>
void page_census::visit_scopes(call_id call, const call_table& calls, const scope_tree& stacks, Visit visit) {
    const trace::context_id context = calls.all()[call].context;
    if (!trace::is_complete(stacks.end(context))) {
        return;
    }
    for (trace::context_id node = stacks.counting(context); node >= trace::stack_ends;
         node = stacks.counting_outside(node)) {
        ++visits_;
        visit(stacks.function(node));
    }
}

void page_census::count(scope_id function) {
    if (!scopes_[function].is_counted) {
        scopes_[function].is_counted = true;
        counted_.push_back(function);
    }
}

void page_census::take(std::uint64_t events, std::uint64_t ticks, std::uint64_t live_bytes,
                       std::span<const placed_block> blocks, const call_table& calls,
                       const scope_tree& stacks) {
    last_events_ = events;
    most_live_ = std::max(most_live_, live_bytes);
    visits_ = 0;
    calls_.resize(std::max(calls_.size(), calls.all().size()));
    scopes_.resize(std::max(scopes_.size(), stacks.functions()));
    peaks_.resize(scopes_.size());
    std::uint64_t page = 0;
    ++serial_;
    for (const placed_block& block : blocks) {
        const std::uint64_t end =
            block.address + std::min(std::max<std::uint64_t>(block.bytes, 1) - 1, ~block.address);
        const std::uint64_t first = std::max(block.address >> page_shift, page);
        const std::uint64_t last = std::max(end >> page_shift, first);
        if (first != page) {
            end_page(calls, stacks);
        }
        call_sums& call = calls_[block.call];
        if (call.bytes == 0) {
            used_calls_.push_back(block.call);
        }
        // A block without bytes has an address of its own.
        call.bytes += std::max<std::uint64_t>(block.bytes, 1);
        add_to_page(block);
        if (last != first) {
            end_page(calls, stacks);
            visit_scopes(block.call, calls, stacks,
                         [&](scope_id function) { scopes_[function].pages += last - first - 1; });
            add_to_page(block);
        }
        page = last;
    }
    end_page(calls, stacks);
    for (const call_id call : used_calls_) {
        visit_scopes(call, calls, stacks,
                     [&](scope_id function) { scopes_[function].bytes += calls_[call].bytes; });
        calls_[call].bytes = 0;
    }
    used_calls_.clear();
    keep(ticks);
}

void page_census::add_to_page(const placed_block& block) {
    call_sums& call = calls_[block.call];
    if (call.page_serial != serial_) {
        call.page_serial = serial_;
        call.blocks_on_page = 0;
        calls_on_page_.push_back(block.call);
    }
    ++call.blocks_on_page;
    ++blocks_on_page_;
}

void page_census::end_page(const call_table& calls, const scope_tree& stacks) {
    for (const call_id call : calls_on_page_) {
        visit_scopes(call, calls, stacks, [&](scope_id function) {
            scope_sums& scope = scopes_[function];
            if (scope.page_serial != serial_) {
                scope.page_serial = serial_;
                scope.blocks_on_page = 0;
                scopes_on_page_.push_back(function);
                count(function);
            }
            scope.blocks_on_page += calls_[call].blocks_on_page;
        });
    }
    for (const scope_id function : scopes_on_page_) {
        scope_sums& scope = scopes_[function];
        ++scope.pages;
        scope.shared += static_cast<std::uint64_t>(scope.blocks_on_page < blocks_on_page_);
    }
    calls_on_page_.clear();
    scopes_on_page_.clear();
    blocks_on_page_ = 0;
    ++serial_;
}

/// Ends the census: its figures become those of the peaks that it exceeds, and are kept over time.
void page_census::keep(std::uint64_t ticks) {
    std::vector<row> rows;
    const bool is_kept = taken_++ % interval_ == 0;
    for (const scope_id function : counted_) {
        scope_sums& scope = scopes_[function];
        const page_figures figures{ticks, scope.bytes, scope.pages, scope.shared};
        if (figures.bytes > peaks_[function].bytes) {
            peaks_[function] = figures;
        }
        if (is_kept) {
            rows.push_back({function, figures});
        }
        scope = scope_sums{};
    }
    counted_.clear();
    if (!is_kept) {
        return;
    }
    std::ranges::sort(rows, {}, &row::function);
    kept_.push_back(std::move(rows));
    std::size_t total = 0;
    for (const std::vector<row>& census : kept_) {
        total += census.size();
    }
    while (kept_.size() > 1 && (kept_.size() >= most_censuses || total > most_rows)) {
        drop_each_second();
        total /= 2;
    }
}

void page_census::drop_each_second() {
    interval_ *= 2;
    for (std::size_t at = 0; 2 * at < kept_.size(); ++at) {
        kept_[at] = std::move(kept_[2 * at]);
    }
    kept_.resize((kept_.size() + 1) / 2);
}

std::vector<page_figures> page_census::over_time(scope_id function) const {
    std::vector<page_figures> figures;
    for (const std::vector<row>& census : kept_) {
        const auto at = std::ranges::lower_bound(census, function, {}, &row::function);
        if (at != census.end() && at->function == function) {
            figures.push_back(at->figures);
        }
    }
    return figures;
}

} // namespace mallard::advisor
