/// malloc_trim, mallinfo, mallinfo2 and mallopt, as the program calls them. They are rare, and one call may take milliseconds, so
/// each one is timed and recorded.

#include "recorder/interpose/event.hpp"
#include "recorder/interpose/next_functions.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

using namespace mallard::recorder;

namespace {

/// Returns: the result of `call`. No event lives during the call, because the functions of another malloc may allocate.
template <typename Call>
[[gnu::always_inline]] inline auto control(arch::call_frame frame, record_kind kind, Call call) noexcept {
    const std::uint64_t begin = time_stamp();
    const auto result = call();
    const std::uint64_t end = time_stamp();
    event(frame).controlled(kind, end - begin);
    return result;
}

/// Returns: zeros if no library has the function.
heap_figures<int> figures() noexcept {
    return next().mallinfo != nullptr ? next().mallinfo() : heap_figures<int>{};
}

/// Returns: the figures of mallinfo in a C library that has no mallinfo2.
heap_figures<std::size_t> wide_figures() noexcept {
    if (next().mallinfo2 != nullptr) {
        return next().mallinfo2();
    }
    heap_figures<std::size_t> result{};
    std::ranges::transform(figures().values, result.values.begin(),
                           [](int value) { return static_cast<std::size_t>(static_cast<unsigned>(value)); });
    return result;
}

} // namespace

MALLARD_INTERPOSED int malloc_trim(std::size_t pad) {
    return control(MALLARD_FRAME, record_kind::malloc_trim,
                   [=] { return next().malloc_trim != nullptr ? next().malloc_trim(pad) : 0; });
}

MALLARD_INTERPOSED heap_figures<int> mallinfo() {
    return control(MALLARD_FRAME, record_kind::mallinfo, figures);
}

MALLARD_INTERPOSED heap_figures<std::size_t> mallinfo2() {
    return control(MALLARD_FRAME, record_kind::mallinfo2, wide_figures);
}

MALLARD_INTERPOSED int mallopt(int option, int value) {
    return control(MALLARD_FRAME, record_kind::mallopt,
                   [=] { return next().mallopt != nullptr ? next().mallopt(option, value) : 0; });
}
