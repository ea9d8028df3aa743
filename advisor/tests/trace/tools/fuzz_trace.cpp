// Reads traces with random damage. A crash, a hang or a violated guarantee of the reader is a bug.
//
//     fuzz_trace SEED COUNT
#include "trace/recordings/mutated_trace.hpp"

#include <cstdio>
#include <cstdlib>
#include <exception>

int main(int count, char** words) {
    if (count != 3) {
        std::fputs("usage: fuzz_trace SEED COUNT\n", stderr);
        return 2;
    }
    const std::uint64_t seed = std::strtoull(words[1], nullptr, 10);
    const std::uint64_t traces = std::strtoull(words[2], nullptr, 10);
    constexpr std::uint64_t batch = 1000;
    std::uint64_t read = 0;
    for (std::uint64_t done = 0; done < traces; done += batch) {
        try {
            read += mallard::test::read_mutated(seed + done, batch);
        } catch (const std::exception& error) {
            std::fprintf(stderr, "seed %llu: %s\n", static_cast<unsigned long long>(seed + done),
                         error.what());
            return 1;
        }
    }
    std::printf("%llu damaged traces, %llu of which could be read\n", static_cast<unsigned long long>(traces),
                static_cast<unsigned long long>(read));
    return 0;
}
