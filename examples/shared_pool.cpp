// One pool for several threads.
//
// Four threads each build a list, and the main thread splices the lists into one without copying a node. All nodes
// come from one pool, so any thread may free any node. Each thread takes its nodes from magazines of its own, so
// the threads do not wait for each other.
#include <mallard/mallard.hpp>

#include <iostream>
#include <list>
#include <numeric>
#include <thread>
#include <vector>

namespace {

using pool_type = mallard::concurrent_multipool<>;
using squares = std::list<long, mallard::allocator<long, pool_type>>;

constexpr long numbers = 100'000;
constexpr long threads = 4;

void fill(squares& part, long first) {
    for (long n = first; n < numbers; n += threads) {
        part.push_back(n * n);
    }
}

} // namespace

int main() {
    pool_type pool; // outlives the lists, as every local allocator outlives its blocks
    std::vector<squares> parts(threads, squares(pool));
    std::vector<std::thread> running;
    for (long i = 0; i != threads; ++i) {
        running.emplace_back([&parts, i] { fill(parts[static_cast<std::size_t>(i)], i); });
    }
    for (std::thread& t : running) {
        t.join();
    }

    squares all(pool);
    for (squares& part : parts) {
        all.splice(all.end(), part);
    }
    std::cout << all.size() << " squares, the sum of which is " << std::accumulate(all.begin(), all.end(), 0L)
              << '\n';

    std::thread([&all] { all.remove_if([](long square) { return square % 2 == 0; }); }).join();
    std::cout << "another thread freed the even ones: " << all.size() << " left\n";

    all.clear();
    pool.release(); // no thread uses the pool now; its destructor would release it too
    std::cout << "the pool holds " << pool.stats().chunk_bytes << " bytes after its release\n";
}
