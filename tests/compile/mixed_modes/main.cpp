// main FIRST SECOND: the expected modes of each half, of "asan", "exceptions" and "contracts". The program breaks a
// contract in a half that does not check it, and comes to its end. With a third argument it breaks a contract of the
// half of this name.
#include "half.hpp"

#include <cstdio>
#include <cstring>
#include <new>

void* exhausted::allocate(std::size_t, std::size_t) {
    throw std::bad_alloc();
}
void exhausted::deallocate(void*, std::size_t, std::size_t) noexcept {}

namespace {

bool is(const char* words, const char* word) {
    return std::strstr(words, word) != nullptr;
}

bool right(const char* name, const seen& half, const char* expected) {
    const bool as_expected = half.poisons_released_memory == is(expected, "asan") &&
                             half.survives_a_source_that_throws == is(expected, "exceptions");
    std::printf("%s half: %s\n", name, as_expected ? "right" : "wrong");
    return as_expected;
}

} // namespace

int main(int count, char** arguments) {
    const char* const first = arguments[1];
    const char* const second = arguments[2];
    const char* const broken = count > 3 ? arguments[3] : "";
    if (!is(first, "contracts") || is(broken, "first")) {
        misuse_first_half();
    }
    if (!is(second, "contracts") || is(broken, "second")) {
        misuse_second_half();
    }
    const bool both = right("first", look_at_first_half(is(first, "exceptions")), first) &&
                      right("second", look_at_second_half(is(second, "exceptions")), second);
    return both ? 0 : 1;
}
