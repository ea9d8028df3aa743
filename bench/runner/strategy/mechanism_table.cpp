#include "runner/strategy/mechanism_table.hpp"

#include <algorithm>
#include <iterator>

namespace bench {

namespace {

constexpr library_row contender_libraries[] = {
#define LIBRARY(of, MACRO, ...)                                                                              \
    {.kind = library_kind::of,                                                                               \
     __VA_ARGS__,                                                                                            \
     .built = BENCH_HAS_##MACRO != 0,                                                                        \
     .why = BENCH_WHY_##MACRO,                                                                               \
     .version = BENCH_VERSION_##MACRO},
#include "runner/strategy/strategies.def"
};

} // namespace

const mechanism_row& find_row(mechanism_kind kind) noexcept {
    return mechanisms[static_cast<std::size_t>(kind)];
}

std::span<const library_row> libraries() noexcept {
    return contender_libraries;
}

const library_row* find_library(library_kind kind) noexcept {
    const auto* library = std::ranges::find(contender_libraries, kind, &library_row::kind);
    return library == std::end(contender_libraries) ? nullptr : library;
}

const library_row* find_library(mechanism_kind kind) noexcept {
    return find_library(find_row(kind).library);
}

bool is_built(mechanism_kind kind) noexcept {
    const library_row* library = find_library(kind);
    return library == nullptr || library->built;
}

} // namespace bench
