/// The functions that code compiled with -finstrument-functions calls, instead of libc's, which do nothing.

#include "recorder/interpose/event.hpp"

using namespace mallard::recorder;

namespace {

std::uint64_t identity(void* function) noexcept {
    return reinterpret_cast<std::uintptr_t>(function);
}

} // namespace

MALLARD_INTERPOSED void __cyg_profile_func_enter(void* function, void*) noexcept {
    const event now(MALLARD_FRAME);
    if (thread_log* const log = now.log()) {
        log->begins(record_kind::function_enter,
                    {now.from().slot, identity(function), 0, record_kind::function_exit}, now.from());
    }
}

MALLARD_INTERPOSED void __cyg_profile_func_exit(void* function, void*) noexcept {
    const event now(MALLARD_FRAME);
    if (thread_log* const log = now.log()) {
        log->ends(record_kind::function_exit, identity(function), now.from());
    }
}
