/// The marks of the program, and functions that report their own calls.

#include "recorder/marks/marked_files.hpp"
#include "trial/interpose/event.hpp"

#include <mallard/record/scope.hpp>

#include <cstring>

using namespace mallard::trial;

namespace {

using mallard::record::site;

// A site caches the answer.
constexpr unsigned is_scope = 1;
constexpr unsigned is_foreign_scope = 2;

/// A recording has the beginning of a long name.
bool is_mark(const char* name) noexcept {
    const auto& mark = the_trial.settings.mark;
    return std::strncmp(name, mark.data(), mark.size() - 1) == 0;
}

bool is_the_scope(site& at) noexcept {
    unsigned answer = __atomic_load_n(&at.number, __ATOMIC_RELAXED);
    if (answer == 0) [[unlikely]] {
        if (!the_trial.on()) {
            return false;
        }
        const bool matches = the_trial.settings.by == detection::mark && is_mark(at.name);
        answer = matches ? is_scope : is_foreign_scope;
        __atomic_store_n(&at.number, answer, __ATOMIC_RELAXED);
    }
    return answer == is_scope;
}

bool is_the_scope(const void* function) noexcept {
    return the_trial.on() && the_trial.settings.by == detection::functions &&
           the_trial.code.has(reinterpret_cast<std::uint64_t>(function) + 1);
}

[[gnu::always_inline]] inline void begins(mallard::recorder::arch::call_frame frame) noexcept {
    if (thread_state* const state = thread_state::mine()) {
        state->begins(caller::from_frame(frame));
    }
}

void ends() noexcept {
    if (thread_state* const state = thread_state::mine()) {
        state->ends();
    }
}

void scope_begin(site* at) noexcept {
    if (is_the_scope(*at)) {
        begins(MALLARD_FRAME);
    }
}

void scope_end(site* at) noexcept {
    if (is_the_scope(*at)) {
        ends();
    }
}

using mallard::record::number;

// A trial only needs scopes.
constexpr mallard::record::functions trial_functions{
    .scope_begin = scope_begin,
    .scope_end = scope_end,
    .progress = [](site*) {},
    .instance_begin = [](const char*) -> number { return 0; },
    .instance_end = [](number) {},
    .instance_enter = [](number) {},
    .instance_leave = [](number) {},
    .pool = [](const char*) -> number { return 0; },
    .allocated = [](const void*, unsigned long, number) {},
    .freed = [](const void*, number) {},
    .released = [](number) {},
    .rolled_back = [](unsigned long, number) {},
};

// The trial removes its variables from the environment before the program walks over it.
[[gnu::constructor]] void connect_marks() {
    static_cast<void>(the_trial.on());
    mallard::recorder::connect_marked_files(trial_functions);
    the_trial.start_clock();
}

} // namespace

// Libraries of the program look up this name.
extern "C"
    __attribute__((visibility("default"))) constexpr mallard::record::functions mallard_record_functions =
        trial_functions;

// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming): libc's names
MALLARD_INTERPOSED void __cyg_profile_func_enter(void* function, void*) noexcept {
    if (is_the_scope(function)) {
        begins(MALLARD_FRAME);
    }
}
MALLARD_INTERPOSED void __cyg_profile_func_exit(void* function, void*) noexcept {
    if (is_the_scope(function)) {
        ends();
    }
}
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
