/// The functions that marks in the program call: include/mallard/record/scope.hpp, include/mallard/adapt/recorded.hpp.

#include "recorder/interpose/event.hpp"

using namespace mallard::recorder;

namespace {

using mallard::record::site;
using numbered = mallard::record::number;

// Numbers of instances and of pools. In the child of a fork they go on, so that no number means two instances.
constinit std::atomic<std::uint64_t> last_number{0};

/// Returns: the number of the name, which is in the trace then.
std::uint32_t written(thread_log& log, std::uint32_t number) noexcept {
    if (number != 0 && the_recording.names.is_new(number)) [[unlikely]] {
        log.write_name(number);
    }
    return number;
}

std::uint32_t number_of(const char* name) noexcept {
    const std::uint32_t number = the_recording.names.number_of(name);
    if (number == 0 && name != nullptr && *name != 0) {
        the_recording.part.header().names_lost.fetch_add(1, std::memory_order_relaxed);
    }
    return number;
}

/// The site keeps its number. Two threads may store the same one.
std::uint32_t number_of(site& at) noexcept {
    std::uint32_t number = __atomic_load_n(&at.number, __ATOMIC_RELAXED);
    if (number == 0) [[unlikely]] {
        number = number_of(at.name);
        __atomic_store_n(&at.number, number, __ATOMIC_RELAXED);
    }
    return number;
}

std::uint64_t identity(const site* at) noexcept {
    return reinterpret_cast<std::uintptr_t>(at);
}

[[gnu::always_inline]] inline void mark(const void* frame, record_kind kind, numbered which) noexcept {
    const event now(frame);
    if (thread_log* const log = now.log()) {
        // The child of a fork has a trace of its own, which does not have the name yet.
        written(*log, static_cast<std::uint32_t>(mallard::trace::name_of(which)));
        log->marked(kind, which, now.from());
    }
}

numbered next_number(thread_log& log, const char* name) noexcept {
    const std::uint64_t count = last_number.fetch_add(1, std::memory_order_relaxed) + 1;
    return count << mallard::trace::name_bits | written(log, number_of(name));
}

void scope_begin(site* at) noexcept {
    const event now(MALLARD_FRAME);
    if (thread_log* const log = now.log()) {
        log->begins(record_kind::scope_begin,
                    {now.from().slot, identity(at), written(*log, number_of(*at)), record_kind::scope_end},
                    now.from());
    }
}

void scope_end(site* at) noexcept {
    const event now(MALLARD_FRAME);
    if (thread_log* const log = now.log()) {
        log->ends(record_kind::scope_end, identity(at), now.from());
    }
}

void progress(site* at) noexcept {
    const event now(MALLARD_FRAME);
    if (thread_log* const log = now.log()) {
        log->marked(record_kind::progress, written(*log, number_of(*at)), now.from());
    }
}

numbered instance_begin(const char* name) noexcept {
    const event now(MALLARD_FRAME);
    thread_log* const log = now.log();
    if (log == nullptr) {
        return 0;
    }
    const numbered number = next_number(*log, name);
    log->marked(record_kind::instance_begin, number, now.from());
    return number;
}

void instance_end(numbered instance) noexcept {
    mark(MALLARD_FRAME, record_kind::instance_end, instance);
}

void instance_enter(numbered instance) noexcept {
    const event now(MALLARD_FRAME);
    if (thread_log* const log = now.log()) {
        written(*log, static_cast<std::uint32_t>(mallard::trace::name_of(instance)));
        log->begins(record_kind::instance_enter, {now.from().slot, instance, 0, record_kind::instance_leave},
                    now.from());
    }
}

void instance_leave(numbered instance) noexcept {
    const event now(MALLARD_FRAME);
    if (thread_log* const log = now.log()) {
        log->ends(record_kind::instance_leave, instance, now.from());
    }
}

numbered pool(const char* name) noexcept {
    const event now(MALLARD_FRAME);
    thread_log* const log = now.log();
    return log == nullptr ? 0 : next_number(*log, name);
}

void allocated(const void* block, unsigned long bytes, numbered pool) noexcept {
    const event now(MALLARD_FRAME);
    if (thread_log* const log = now.log()) {
        log->allocated_by_pool(bytes, block, pool, now.from());
    }
}

void freed(const void* block, numbered pool) noexcept {
    const event now(MALLARD_FRAME);
    if (thread_log* const log = now.log()) {
        log->freed_to_pool(block, pool, now.from());
    }
}

void released(numbered pool) noexcept {
    mark(MALLARD_FRAME, record_kind::pool_released, pool);
}

void rolled_back(unsigned long allocations, numbered pool) noexcept {
    const event now(MALLARD_FRAME);
    if (thread_log* const log = now.log()) {
        log->rolled_back(allocations, pool, now.from());
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

// A program may mark scopes before it allocates. Its marks have to find the recorder.
[[gnu::constructor]] void begin_to_record() {
    static_cast<void>(the_recording.on());
}

} // namespace
