/// JIT compilers register the descriptions of their code. The recorder and the trial need them too.
///
/// libgcc has several functions for this purpose. If one calls another, the section is known twice, and both are removed at
/// once.

#include "recorder/code/code_objects.hpp"
#include "recorder/interpose/interposed.hpp"

using namespace mallard::recorder;

namespace {

void add(const void* section) noexcept {
    unwind::add_section(static_cast<const std::uint8_t*>(section), section);
}

void add_table(void* const* sections) noexcept {
    for (void* const* section = sections; *section != nullptr; ++section) {
        unwind::add_section(static_cast<const std::uint8_t*>(*section), static_cast<const void*>(sections));
    }
}

void remove(const void* owner) noexcept {
    unwind::remove_sections(owner);
    forget_registered_code();
}

} // namespace

// NOLINTNEXTLINE(bugprone-macro-parentheses): the name of a function
#define MALLARD_NEXT(name) next_function<decltype(&name)>(#name)

// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming): libgcc's names

MALLARD_INTERPOSED void __register_frame(void* section) {
    add(section);
    if (const auto next = MALLARD_NEXT(__register_frame)) {
        next(section);
    }
}

MALLARD_INTERPOSED void __register_frame_info(const void* section, void* object) {
    add(section);
    if (const auto next = MALLARD_NEXT(__register_frame_info)) {
        next(section, object);
    }
}

MALLARD_INTERPOSED void __register_frame_info_bases(const void* section, void* object, void* text,
                                                    void* data) {
    add(section);
    if (const auto next = MALLARD_NEXT(__register_frame_info_bases)) {
        next(section, object, text, data);
    }
}

MALLARD_INTERPOSED void __register_frame_table(void* sections) {
    add_table(static_cast<void**>(sections));
    if (const auto next = MALLARD_NEXT(__register_frame_table)) {
        next(sections);
    }
}

MALLARD_INTERPOSED void __register_frame_info_table(void* sections, void* object) {
    add_table(static_cast<void**>(sections));
    if (const auto next = MALLARD_NEXT(__register_frame_info_table)) {
        next(sections, object);
    }
}

MALLARD_INTERPOSED void __register_frame_info_table_bases(void* sections, void* object, void* text,
                                                          void* data) {
    add_table(static_cast<void**>(sections));
    if (const auto next = MALLARD_NEXT(__register_frame_info_table_bases)) {
        next(sections, object, text, data);
    }
}

MALLARD_INTERPOSED void __deregister_frame(void* owner) {
    remove(owner);
    if (const auto next = MALLARD_NEXT(__deregister_frame)) {
        next(owner);
    }
}

MALLARD_INTERPOSED void* __deregister_frame_info(const void* owner) {
    remove(owner);
    const auto next = MALLARD_NEXT(__deregister_frame_info);
    return next != nullptr ? next(owner) : nullptr;
}

MALLARD_INTERPOSED void* __deregister_frame_info_bases(const void* owner) {
    remove(owner);
    const auto next = MALLARD_NEXT(__deregister_frame_info_bases);
    return next != nullptr ? next(owner) : nullptr;
}
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
