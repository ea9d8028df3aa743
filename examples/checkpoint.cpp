// A checkpoint: scratch memory that goes back to its arena.
//
// A solver keeps its best answer and tries many others. The end of a try's scope, or an exception, forgets all
// that the try allocated, unless it was the best so far.
#include <mallard/mallard.hpp>

#include <iostream>
#include <span>

namespace {

using arena = mallard::monotonic<>;

struct candidate {
    std::span<int> path;
    int cost;
};

candidate try_route(arena& memory, int start) {
    const std::size_t steps = 100;
    auto* path = static_cast<int*>(memory.allocate(steps * sizeof(int), alignof(int)));
    int cost = 0;
    for (std::size_t step = 0; step != steps; ++step) {
        path[step] = (start * 37 + static_cast<int>(step * step) * 11) % 101;
        cost += path[step];
    }
    return {{path, steps}, cost};
}

} // namespace

int main() {
    arena memory;
    candidate best{{}, 1'000'000};
    int improvements = 0;

    for (int start = 0; start != 10'000; ++start) {
        mallard::checkpoint scratch(memory);
        const candidate route = try_route(memory, start);
        if (route.cost < best.cost) {
            best = route;
            scratch.commit(); // the best so far stays
            ++improvements;
        }
    }

    std::cout << "10000 tries, " << improvements << " kept; the best costs " << best.cost << " in "
              << best.path.size() << " steps; the arena holds " << memory.stats().chunk_bytes / 1024
              << " KiB\n";
}
