/// The hooks of -finstrument-functions, which replace libc's empty ones.

#include "recorder/interpose/event.hpp"

using namespace mallard::recorder;

namespace {

std::uint64_t identity(void* function) noexcept {
    return reinterpret_cast<std::uintptr_t>(function);
}

} // namespace

MALLARD_INTERPOSED void __cyg_profile_func_enter(void* function, void*) noexcept {
    const event current(MALLARD_FRAME);
    if (thread_log* const log = current.log()) {
        log->begins(record_kind::function_enter,
                    {current.from().slot, identity(function), 0, record_kind::function_exit}, current.from());
    }
}

MALLARD_INTERPOSED void __cyg_profile_func_exit(void* function, void*) noexcept {
    const event current(MALLARD_FRAME);
    if (thread_log* const log = current.log()) {
        log->ends(record_kind::function_exit, identity(function), current.from());
    }
}
