#include "recorder/system/environment.hpp"

#include <unistd.h>

#include <array>
#include <cstdlib>
#include <cstring>

namespace mallard::recorder {

namespace {

constexpr const char* folder_name = "MALLARD_RECORD=";
constexpr const char* follow_name = "MALLARD_RECORD_FOLLOW=";
constexpr const char* stacks_name = "MALLARD_RECORD_STACKS=";
constexpr const char* sample_name = "MALLARD_RECORD_SAMPLE=";
constexpr std::array own_names{folder_name, follow_name, stacks_name, sample_name};
constexpr const char* preload_name = "LD_PRELOAD=";

/// Returns: the text behind `name`; null if `entry` is another variable.
char* value_of(char* entry, const char* name) noexcept {
    const std::size_t length = std::strlen(name);
    return std::strncmp(entry, name, length) == 0 ? entry + length : nullptr;
}

bool is_own(char* entry) noexcept {
    for (const char* const name : own_names) {
        if (value_of(entry, name) != nullptr) {
            return true;
        }
    }
    return false;
}

// `mallard record` has checked both values. Any other text means the usual one.
trace::stack_source stacks_of(const char* text) noexcept {
    if (std::strcmp(text, "none") == 0) {
        return trace::stack_source::none;
    }
    return std::strcmp(text, "fp") == 0 ? trace::stack_source::frame_pointers
                                        : trace::stack_source::descriptions;
}

std::uint32_t number_of(const char* text) noexcept {
    std::uint64_t number = 0;
    for (; *text >= '0' && *text <= '9' && number < 1U << 30; ++text) {
        number = number * 10 + static_cast<std::uint64_t>(*text - '0');
    }
    return number == 0 ? 1 : static_cast<std::uint32_t>(number);
}

/// Effects: takes the first library out of the list. `mallard record` puts the recorder there.
/// Returns: true if the list is empty then.
bool drop_first(char* list) noexcept {
    const char* const others = std::strchr(list, ':');
    if (others == nullptr) {
        return true;
    }
    std::memmove(list, others + 1, std::strlen(others));
    return false;
}

} // namespace

// setenv and unsetenv use the heap, and take a lock. The entries are the process's own memory, and are changed in place.
environment environment::read() noexcept {
    environment found;
    if (environ == nullptr) {
        return found;
    }
    for (char** entry = environ; *entry != nullptr; ++entry) {
        if (const char* const folder = value_of(*entry, folder_name)) {
            found.folder = folder;
        } else if (const char* const follow = value_of(*entry, follow_name)) {
            found.follow = *follow == '1';
        } else if (const char* const stacks = value_of(*entry, stacks_name)) {
            found.stacks = stacks_of(stacks);
        } else if (const char* const sample = value_of(*entry, sample_name)) {
            found.sample = number_of(sample);
        }
    }
    if (found.folder == nullptr || found.follow) {
        return found;
    }
    char** to = environ;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        char* const libraries = value_of(*entry, preload_name);
        if (is_own(*entry) || (libraries != nullptr && drop_first(libraries))) {
            continue;
        }
        *to++ = *entry;
    }
    *to = nullptr;
    return found;
}

} // namespace mallard::recorder
