// Profiles and exports randomly damaged traces. A crash, a hang or a malformed profile is a bug.
//
//     fuzz_profile SEED COUNT
#include "profiler/damaged/profile_mutated.hpp"

#include <cstdio>
#include <cstdlib>
#include <exception>

int main(int count, char** words) {
    if (count != 3) {
        std::fputs("usage: fuzz_profile SEED COUNT\n", stderr);
        return 2;
    }
    const std::uint64_t seed = std::strtoull(words[1], nullptr, 10);
    const std::uint64_t traces = std::strtoull(words[2], nullptr, 10);
    constexpr std::uint64_t at_once = 1000;
    std::uint64_t read = 0;
    for (std::uint64_t done = 0; done < traces; done += at_once) {
        try {
            read += mallard::test::profile_mutated(seed + done, at_once);
        } catch (const std::exception& error) {
            std::fprintf(stderr, "seed %llu: %s\n", static_cast<unsigned long long>(seed + done),
                         error.what());
            return 1;
        }
    }
    std::printf("%llu damaged traces, of which %llu could be read\n", static_cast<unsigned long long>(traces),
                static_cast<unsigned long long>(read));
    return 0;
}
