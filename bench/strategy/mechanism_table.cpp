#include "bench/strategy/mechanism_table.hpp"

#include <algorithm>
#include <iterator>

namespace bench {

namespace {

constexpr library_row contender_libraries[] = {
#define LIBRARY(of, MACRO, ...)                                                                              \
    {.kind = library_kind::of, __VA_ARGS__, .built = BENCH_HAS_##MACRO != 0, .why = BENCH_WHY_##MACRO},
#include "bench/strategy/strategies.def"
};

} // namespace

const mechanism_row& row_of(mechanism_kind kind) noexcept {
    return mechanisms[static_cast<std::size_t>(kind)];
}

std::span<const library_row> libraries() noexcept {
    return contender_libraries;
}

const library_row* library_named(library_kind kind) noexcept {
    const auto* found = std::ranges::find(contender_libraries, kind, &library_row::kind);
    return found == std::end(contender_libraries) ? nullptr : found;
}

const library_row* library_of(mechanism_kind kind) noexcept {
    return library_named(row_of(kind).library);
}

bool is_built(mechanism_kind kind) noexcept {
    const library_row* library = library_of(kind);
    return library == nullptr || library->built;
}

} // namespace bench
