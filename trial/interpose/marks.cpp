/// The marks of the program, and functions that say themselves when they begin and end.

#include "include/mallard/record/scope.hpp"
#include "recorder/marks/marked_files.hpp"
#include "trial/interpose/event.hpp"

#include <cstring>

using namespace mallard::trial;

namespace {

using mallard::record::site;

// A site keeps the answer.
constexpr unsigned is_scope = 1;
constexpr unsigned is_other = 2;

bool is_the_scope(site& at) noexcept {
    unsigned known = __atomic_load_n(&at.number, __ATOMIC_RELAXED);
    if (known == 0) [[unlikely]] {
        if (!the_trial.on()) {
            return false;
        }
        const bool same =
            the_trial.asked.by == detection::mark && std::strcmp(at.name, the_trial.asked.mark.data()) == 0;
        known = same ? is_scope : is_other;
        __atomic_store_n(&at.number, known, __ATOMIC_RELAXED);
    }
    return known == is_scope;
}

bool is_the_scope(const void* function) noexcept {
    return the_trial.on() && the_trial.asked.by == detection::functions &&
           the_trial.code.has(reinterpret_cast<std::uint64_t>(function) + 1);
}

[[gnu::always_inline]] inline void begins(const void* frame) noexcept {
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

// Only scopes are of interest to a trial.
constexpr mallard::record::functions functions_of_trial{
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

// The trial takes its variables out of the environment before the program walks over them.
[[gnu::constructor]] void connect_marks() {
    static_cast<void>(the_trial.on());
    mallard::recorder::connect_marked_files(functions_of_trial);
}

} // namespace

// Libraries of the program look for this name.
extern "C"
    __attribute__((visibility("default"))) constexpr mallard::record::functions mallard_record_functions =
        functions_of_trial;

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
