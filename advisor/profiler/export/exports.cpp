#include "profiler/export/exports.hpp"

#include <algorithm>
#include <array>

namespace mallard::advisor {

namespace {

constexpr std::array<export_format, 7> formats{{
    {"pprof", "for go tool pprof: allocated, at the peak, at the end", write_pprof},
    {"dhat", "for dh_view.html and the Firefox Profiler", write_dhat},
    {"folded", "for flame graphs: bytes allocated", write_folded_bytes},
    {"folded-blocks", "for flame graphs: blocks allocated", write_folded_blocks},
    {"folded-peak", "for flame graphs: bytes at the peak", write_folded_peak},
    {"folded-end", "for flame graphs: bytes at the end", write_folded_end},
    {"history", "for --history: the requests in order", write_history},
}};

} // namespace

std::span<const export_format> export_formats() noexcept {
    return formats;
}

const export_format* find_export_format(std::string_view name) noexcept {
    const auto format =
        std::ranges::find_if(formats, [&](const export_format& candidate) { return candidate.name == name; });
    return format == formats.end() ? nullptr : &*format;
}

} // namespace mallard::advisor
