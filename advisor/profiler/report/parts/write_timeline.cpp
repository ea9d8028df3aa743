#include "profiler/report/parts/report_parts.hpp"

#include <algorithm>

namespace mallard::advisor {

namespace {

/// Live bytes of up to 64 scopes at the end of each step.
std::vector<std::vector<std::int64_t>> live_bytes(const report_source& source,
                                                  const std::vector<scope_id>& scopes) {
    const live_timeline& timeline = source.results.timeline();
    const std::vector<std::uint64_t> inside = scopes_by_call(source, scopes);
    std::vector<std::vector<std::int64_t>> live(scopes.size(),
                                                std::vector<std::int64_t>(timeline.totals().size()));
    for (const live_timeline::change& change : timeline.changes()) {
        std::uint64_t bits = inside[change.call];
        for (std::size_t at = 0; bits != 0; ++at, bits >>= 1) {
            if ((bits & 1) != 0) {
                live[at][change.step] += change.bytes;
            }
        }
    }
    for (std::vector<std::int64_t>& scope : live) {
        for (std::size_t step = 1; step < scope.size(); ++step) {
            scope[step] += scope[step - 1];
        }
    }
    return live;
}

/// Effects: writes for each step of the timeline the sample with the most resident memory.
void write_memory(json_writer& json, const live_timeline& timeline,
                  std::span<const trace::memory_sample> memory, std::uint64_t first_ticks,
                  double seconds_per_tick) {
    const std::uint64_t begin = timeline.begin_ticks();
    const auto ticks = [&](const trace::memory_sample& sample) {
        return std::max(sample.ticks > first_ticks ? sample.ticks - first_ticks : 0, begin) - begin;
    };
    const auto is_earlier = [&](const trace::memory_sample& sample) {
        return sample.ticks < first_ticks + begin;
    };
    json.key("resident").begin_list();
    std::size_t at = begin == 0 ? 0 : static_cast<std::size_t>(std::ranges::count_if(memory, is_earlier));
    while (at < memory.size()) {
        const std::uint64_t step = ticks(memory[at]) / timeline.step_ticks();
        const trace::memory_sample* highest = &memory[at];
        for (; at < memory.size() && ticks(memory[at]) / timeline.step_ticks() == step; ++at) {
            highest = memory[at].resident_bytes > highest->resident_bytes ? &memory[at] : highest;
        }
        if (step < live_timeline::steps) {
            json.begin_list().value(static_cast<double>(begin + ticks(*highest)) * seconds_per_tick);
            json.value(highest->resident_bytes).value(highest->file_bytes).end_list();
        }
    }
    json.end_list();
}

void write_histogram(json_writer& json, std::string_view key, const lifetimes::histogram& histogram) {
    json.key(key).begin_list();
    for (std::size_t at = 0; at < histogram.size(); ++at) {
        if (histogram[at].blocks != 0) {
            json.begin_list()
                .value(static_cast<int>(at) - 1)
                .value(histogram[at].blocks)
                .value(histogram[at].bytes)
                .end_list();
        }
    }
    json.end_list();
}

} // namespace

void write_timeline(json_writer& json, const report_source& source,
                    std::span<const trace::memory_sample> memory, std::uint64_t first_ticks) {
    constexpr std::size_t most_shown = 10, most_compared = 64;
    const live_timeline& timeline = source.results.timeline();
    const double seconds_per_tick = source.ns_per_tick * 1e-9;
    const auto seconds = [&](std::uint64_t ticks) { return static_cast<double>(ticks) * seconds_per_tick; };
    json.key("timeline").begin_object().key("seconds").begin_list().value(seconds(timeline.begin_ticks()));
    for (std::size_t step = 1; step <= timeline.totals().size(); ++step) {
        json.value(seconds(timeline.begin_ticks() + step * timeline.step_ticks()));
    }
    json.end_list().key("live_bytes").begin_list().value(timeline.live_at_begin());
    for (const std::uint64_t live : timeline.totals()) {
        json.value(live);
    }
    json.end_list().field("peak_bytes", timeline.peak());
    json.field("peak_seconds", seconds(timeline.peak_ticks()));

    write_memory(json, timeline, memory, first_ticks, seconds_per_tick);

    json.key("scopes").begin_list();
    if (source.shows_scopes && timeline.is_complete()) {
        std::vector<scope_id> compared = source.listed;
        compared.resize(std::min(compared.size(), most_compared));
        const std::vector<std::vector<std::int64_t>> live = live_bytes(source, compared);
        std::vector<std::pair<std::int64_t, std::size_t>> order;
        for (std::size_t id = 0; id < compared.size(); ++id) {
            // A scope with all blocks is the program.
            if (source.details[id].sums.all.bytes == source.results.process_totals().bytes) {
                continue;
            }
            const auto highest = std::ranges::max_element(live[id]);
            if (highest != live[id].end() && *highest > 0) {
                order.emplace_back(-*highest, id);
            }
        }
        std::ranges::sort(order);
        order.resize(std::min(order.size(), most_shown));
        for (const auto& [highest, id] : order) {
            json.begin_object().field("id", id).key("live_bytes").begin_list().value(0U);
            for (const std::int64_t bytes : live[id]) {
                json.value(bytes);
            }
            json.end_list().end_object();
        }
    }
    json.end_list().optional_field("reason", !source.shows_scopes || !timeline.is_complete(), [&] {
        return source.shows_scopes ? "too many stacks keep memory over time" : "scopes are withheld";
    });
    json.end_object();
}

void write_lifetimes(json_writer& json, const report_source& source) {
    json.key("lifetimes").begin_object();
    write_histogram(json, "by_bytes", source.results.lives().by_clock());
    write_histogram(json, "by_time", source.results.lives().by_time());
    block_count alive;
    for (const call_totals& call : source.results.calls().all()) {
        alive.add(call.allocations - call.freed, call.bytes - call.freed_bytes);
    }
    write(json, "alive", alive);
    json.end_object();
}

} // namespace mallard::advisor
