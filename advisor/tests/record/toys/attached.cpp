// Threads that allocate until the program ends; argument: their number. Prints the number of turns every 100 ms.
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace {

std::atomic<unsigned long> turns{0};

[[noreturn]] void allocate(unsigned seed) {
    std::vector<std::unique_ptr<std::string>> kept(256);
    for (;;) {
        seed = seed * 1664525 + 1013904223;
        kept[seed >> 24] = std::make_unique<std::string>(20 + (seed >> 16 & 255), 'x');
        std::free(std::malloc(seed >> 20));
        // Much slower than the collector, which may share its processor with other tests.
        if (++turns % 64 == 0) {
            ::usleep(1000);
        }
    }
}

} // namespace

int main(int, char** words) {
    std::vector<std::thread> threads;
    for (int index = 0; index < std::atoi(words[1]); ++index) {
        threads.emplace_back(allocate, index + 1U);
    }
    for (;;) {
        ::usleep(100'000);
        std::printf("%lu\n", turns.load());
        std::fflush(stdout);
    }
}
