/// The library that measures a process without a trial: it ages the heap, and reads the clocks. It interposes no function of malloc,
/// so that calls cost what they cost without it. The malloc in use may be in the program itself.

#include "recorder/interpose/interposed.hpp"
#include "trial/trial.hpp"

#include <cstdlib>

namespace mallard::trial {

history::allocator malloc_in_use() noexcept {
    return {std::malloc, std::free};
}

namespace {

[[gnu::constructor]] void begin() {
    static_cast<void>(the_trial.on());
}

} // namespace

} // namespace mallard::trial

namespace mallard::recorder {

void note_end() noexcept {
    trial::the_trial.note_end();
}

void count_programs(int programs) noexcept {
    trial::the_trial.note_programs(programs);
}

void prepare_for_sandbox() noexcept {}

} // namespace mallard::recorder
