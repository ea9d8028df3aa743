#include "recorder/system/environment.hpp"

#include "recorder/system/variables.hpp"

#include <unistd.h>

#include <cstdlib>
#include <cstring>

namespace mallard::recorder {

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
