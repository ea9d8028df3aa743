/// Compilers at run time register the descriptions of the code that they make. The recorder needs them too.

#include "recorder/code/code_objects.hpp"
#include "recorder/interpose/event.hpp"

using namespace mallard::recorder;

MALLARD_INTERPOSED void __register_frame(void* section) {
    unwind::add_section(static_cast<const std::uint8_t*>(section));
    if (const auto next = next_function<void (*)(void*)>("__register_frame")) {
        next(section);
    }
}

MALLARD_INTERPOSED void __deregister_frame(void* section) {
    unwind::remove_section(static_cast<const std::uint8_t*>(section));
    the_recording.rules.clear();
    if (const auto next = next_function<void (*)(void*)>("__deregister_frame")) {
        next(section);
    }
}
