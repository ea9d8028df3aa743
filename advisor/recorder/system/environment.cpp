#include "recorder/system/environment.hpp"

#include <elf.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>

namespace mallard::recorder {

namespace {

/// Effects: removes the first library of the list.
/// Returns: true if it was the only one.
bool drop_first(char* list) noexcept {
    const char* const separator = std::strchr(list, ':');
    if (separator == nullptr) {
        return true;
    }
    const std::size_t length = std::strlen(list);
    const auto dropped = static_cast<std::size_t>(separator + 1 - list);
    std::memmove(list, separator + 1, length - dropped);
    std::memset(list + length - dropped, 0, dropped);
    return false;
}

/// Effects: ends `environ` at `end`, and fills the words up to `old_end`, its former null.
///
/// The kernel places the auxiliary vector behind that null. Go's runtime and others find it by walking the
/// variables, from `environ` or from behind the arguments, so it must follow the null without a gap. Pairs of free words
/// become entries that every reader of the vector skips. An odd word stays at the front, as an empty variable that only a
/// walk from the arguments sees.
void close_gap(char** end, char** old_end) noexcept {
    static char empty[] = "";
    *end = nullptr;
    if ((old_end - end) % 2 != 0) {
        std::memmove(static_cast<void*>(environ + 1), static_cast<const void*>(environ),
                     static_cast<std::size_t>(end + 1 - environ) * sizeof(char*));
        *environ++ = empty;
        ++end;
    }
    for (char** word = end + 1; word < old_end; word += 2) {
        word[0] = reinterpret_cast<char*>(AT_IGNORE);
        word[1] = nullptr;
    }
}

} // namespace

char* value_of(char* entry, const char* name) noexcept {
    const std::size_t length = std::strlen(name);
    return std::strncmp(entry, name, length) == 0 ? entry + length : nullptr;
}

// setenv and unsetenv use the heap and take a lock. The entries are the process's own memory, and are changed in place.
void remove_variables(const char* prefix) noexcept {
    char** to = environ;
    char** entry = environ;
    for (; *entry != nullptr; ++entry) {
        char* const libraries = value_of(*entry, "LD_PRELOAD=");
        if (value_of(*entry, prefix) != nullptr || (libraries != nullptr && drop_first(libraries))) {
            std::memset(*entry, 0, std::strlen(*entry));
        } else {
            *to++ = *entry;
        }
    }
    close_gap(to, entry);
}

namespace {

constexpr const char* folder_name = "MALLARD_RECORD=";
constexpr const char* follow_name = "MALLARD_RECORD_FOLLOW=";
constexpr const char* stacks_name = "MALLARD_RECORD_STACKS=";
constexpr const char* sample_name = "MALLARD_RECORD_SAMPLE=";

// `mallard record` has validated both values. Any other text selects the default.
trace::stack_source parse_stacks(const char* text) noexcept {
    if (std::strcmp(text, "none") == 0) {
        return trace::stack_source::none;
    }
    return std::strcmp(text, "fp") == 0 ? trace::stack_source::frame_pointers
                                        : trace::stack_source::descriptions;
}

std::uint32_t parse_number(const char* text) noexcept {
    std::uint64_t number = 0;
    for (; *text >= '0' && *text <= '9' && number < 1U << 30; ++text) {
        number = number * 10 + static_cast<std::uint64_t>(*text - '0');
    }
    return number == 0 ? 1 : static_cast<std::uint32_t>(number);
}

} // namespace

environment environment::read() noexcept {
    environment result;
    if (environ == nullptr) {
        return result;
    }
    for (char** entry = environ; *entry != nullptr; ++entry) {
        if (const char* const folder = value_of(*entry, folder_name)) {
            result.folder = folder;
        } else if (const char* const follow = value_of(*entry, follow_name)) {
            result.follow = *follow == '1';
        } else if (const char* const stacks = value_of(*entry, stacks_name)) {
            result.stacks = parse_stacks(stacks);
        } else if (const char* const sample = value_of(*entry, sample_name)) {
            result.sample = parse_number(sample);
        }
    }
    return result;
}

} // namespace mallard::recorder
