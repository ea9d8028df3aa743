// retains THREADS MIB [hold]: threads that work one after the other, each with as many MiB of blocks. A thread frees all of them
// but the last one, below which glibc's arena of the thread keeps the rest; with `hold`, none. No thread ends before all have worked.

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr std::size_t block_bytes = 1000;

void* work(std::size_t bytes, bool holds) {
    std::vector<void*> blocks;
    for (std::size_t made = 0; made < bytes; made += block_bytes) {
        blocks.push_back(std::malloc(block_bytes)); // line: work
        std::memset(blocks.back(), 1, block_bytes);
    }
    void* const last = blocks.back();
    for (void* const block : blocks) {
        if (block != last && !holds) {
            std::free(block);
        }
    }
    return last;
}

} // namespace

int main(int words, char** arguments) {
    const int count = words > 1 ? std::atoi(arguments[1]) : 1;
    const std::size_t bytes = std::size_t{static_cast<unsigned>(words > 2 ? std::atoi(arguments[2]) : 1)}
                              << 20;
    const bool holds = words > 3 && std::string(arguments[3]) == "hold";
    std::mutex mutex;
    std::condition_variable changed;
    int done = 0;
    std::vector<void*> kept(static_cast<std::size_t>(count));
    std::vector<std::thread> threads;
    for (int number = 0; number < count; ++number) {
        threads.emplace_back([&, number] {
            std::unique_lock lock(mutex);
            changed.wait(lock, [&] { return done == number; });
            kept[static_cast<std::size_t>(number)] = work(bytes, holds);
            // For samples of the resident memory, which is highest at the end.
            std::this_thread::sleep_for(std::chrono::milliseconds{number + 1 == count ? 100 : 20});
            ++done;
            changed.notify_all();
            changed.wait(lock, [&] { return done == count; });
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    std::size_t sum = 0;
    for (void* const block : kept) {
        sum += static_cast<unsigned char*>(block)[0];
    }
    std::printf("%zu\n", sum);
}
