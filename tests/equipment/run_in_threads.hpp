/// Work in several threads at once.
#pragma once

#include <thread>
#include <vector>

namespace equipment {

/// Effects: calls `work(0)` ... `work(threads - 1)` in separate threads and joins them.
template <class Work>
void run_in_threads(int threads, Work work) {
    std::vector<std::thread> running;
    for (int id = 0; id < threads; ++id) {
        running.emplace_back(work, id);
    }
    for (std::thread& t : running) {
        t.join();
    }
}

} // namespace equipment
