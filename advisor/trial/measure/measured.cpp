/// The library that measures a process without a trial: it ages the heap, and reads the clocks. It interposes no function of malloc,
/// so that calls cost what they cost without it. The malloc in use may be in the program itself.

#include "recorder/interpose/interposed.hpp"
#include "recorder/interpose/next_functions.hpp"
#include "trial/trial.hpp"

#include <dlfcn.h>
#include <link.h>

#include <cstdlib>

namespace mallard::trial {

history::allocator malloc_in_use() noexcept {
    const history::allocator called{std::malloc, std::free};
    Dl_info file{};
    void* symbol = nullptr;
    // A program that is linked to a fixed address and has a pointer to malloc has a stub for it, which only calls the next one.
    const bool is_stub =
        ::dladdr1(reinterpret_cast<void*>(called.allocate), &file, &symbol, RTLD_DL_SYMENT) != 0 &&
        symbol != nullptr && static_cast<const ElfW(Sym)*>(symbol)->st_shndx == SHN_UNDEF;
    return is_stub ? history::allocator{recorder::next().malloc, recorder::next().free} : called;
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
