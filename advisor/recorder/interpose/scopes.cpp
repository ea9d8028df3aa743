/// The functions that marks in the program call, and those that instrumented functions call:
/// include/mallard/record/scope.hpp, include/mallard/adapt/recorded.hpp.

#include "recorder/interpose/event.hpp"

using namespace mallard::recorder;

namespace {

using mallard::record::site;
using numbered = mallard::record::number;

// Numbers of instances and of pools. The child of a fork continues them, so that no number means two instances.
constinit std::atomic<std::uint64_t> last_number{0};

/// Returns: the number of the name, after writing the name to the trace if necessary.
std::uint32_t written(thread_log& log, std::uint32_t number) noexcept {
    if (number != 0 && the_recording.names.is_new(number)) [[unlikely]] {
        log.write_name(number);
    }
    return number;
}

std::uint32_t intern(const char* name) noexcept {
    const std::uint32_t number = the_recording.names.intern(name);
    if (number == 0 && name != nullptr && *name != 0) {
        the_recording.part.header().names_lost.fetch_add(1, std::memory_order_relaxed);
    }
    return number;
}

/// The site caches its number. Two threads may store the same one.
std::uint32_t site_number(site& mark_site) noexcept {
    std::uint32_t number = __atomic_load_n(&mark_site.number, __ATOMIC_RELAXED);
    if (number == 0) [[unlikely]] {
        number = intern(mark_site.name);
        __atomic_store_n(&mark_site.number, number, __ATOMIC_RELAXED);
    }
    return number;
}

std::uint64_t identity(const void* source) noexcept {
    return reinterpret_cast<std::uintptr_t>(source);
}

[[gnu::always_inline]] inline void mark(arch::call_frame frame, record_kind kind, numbered number) noexcept {
    const event current(frame);
    if (thread_log* const log = current.log()) {
        // The child of a fork has another trace, which does not have the name yet.
        written(*log, static_cast<std::uint32_t>(mallard::trace::name_number(number)));
        log->marked(kind, number, current.from());
    }
}

numbered next_number(thread_log& log, const char* name) noexcept {
    const std::uint64_t count = last_number.fetch_add(1, std::memory_order_relaxed) + 1;
    return count << mallard::trace::name_bits | written(log, intern(name));
}

void scope_begin(site* at) noexcept {
    const event current(MALLARD_FRAME);
    if (thread_log* const log = current.log()) {
        log->begins(
            record_kind::scope_begin,
            {current.from().slot, identity(at), written(*log, site_number(*at)), record_kind::scope_end},
            current.from());
    }
}

void scope_end(site* at) noexcept {
    const event current(MALLARD_FRAME);
    if (thread_log* const log = current.log()) {
        log->ends(record_kind::scope_end, identity(at), current.from());
    }
}

void progress(site* at) noexcept {
    const event current(MALLARD_FRAME);
    if (thread_log* const log = current.log()) {
        log->marked(record_kind::progress, written(*log, site_number(*at)), current.from());
    }
}

numbered instance_begin(const char* name) noexcept {
    const event current(MALLARD_FRAME);
    thread_log* const log = current.log();
    if (log == nullptr) {
        return 0;
    }
    const numbered number = next_number(*log, name);
    log->marked(record_kind::instance_begin, number, current.from());
    return number;
}

void instance_end(numbered instance) noexcept {
    mark(MALLARD_FRAME, record_kind::instance_end, instance);
}

void instance_enter(numbered instance) noexcept {
    const event current(MALLARD_FRAME);
    if (thread_log* const log = current.log()) {
        written(*log, static_cast<std::uint32_t>(mallard::trace::name_number(instance)));
        log->begins(record_kind::instance_enter,
                    {current.from().slot, instance, 0, record_kind::instance_leave}, current.from());
    }
}

void instance_leave(numbered instance) noexcept {
    const event current(MALLARD_FRAME);
    if (thread_log* const log = current.log()) {
        log->ends(record_kind::instance_leave, instance, current.from());
    }
}

numbered pool(const char* name) noexcept {
    const event current(MALLARD_FRAME);
    thread_log* const log = current.log();
    return log == nullptr ? 0 : next_number(*log, name);
}

void allocated(const void* block, unsigned long bytes, numbered pool) noexcept {
    const event current(MALLARD_FRAME);
    if (thread_log* const log = current.log()) {
        log->allocated_by_pool(bytes, block, pool, current.from());
    }
}

void freed(const void* block, numbered pool) noexcept {
    const event current(MALLARD_FRAME);
    if (thread_log* const log = current.log()) {
        log->freed_to_pool(block, pool, current.from());
    }
}

void released(numbered pool) noexcept {
    mark(MALLARD_FRAME, record_kind::pool_released, pool);
}

void rolled_back(unsigned long allocations, numbered pool) noexcept {
    const event current(MALLARD_FRAME);
    if (thread_log* const log = current.log()) {
        log->rolled_back(allocations, pool, current.from());
    }
}

} // namespace

namespace mallard::recorder {

constexpr record::functions own_functions{scope_begin,  scope_end,      progress,       instance_begin,
                                          instance_end, instance_enter, instance_leave, pool,
                                          allocated,    freed,          released,       rolled_back};

} // namespace mallard::recorder

// Libraries of the program look for this name.
extern "C"
    __attribute__((visibility("default"))) constexpr mallard::record::functions mallard_record_functions =
        own_functions;

namespace {

// A program may mark scopes before it allocates. The marks need the recorder.
[[gnu::constructor]] void begin_to_record() {
    static_cast<void>(the_recording.on());
}

} // namespace

// The hooks of -finstrument-functions replace libc's empty ones.
// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming): libc's names
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
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
