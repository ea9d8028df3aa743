// A vector that never moves.
//
// A recorder keeps every sample of a run of unknown length. std::vector copies all of them whenever its block is full,
// and holds both blocks meanwhile. Boost's containers first ask their allocator to grow the block in place, which a
// heap can do: references stay valid, and the caches warm.
#include <mallard/mallard.hpp>

#include <boost/container/list.hpp>
#include <boost/container/vector.hpp>
#include <iostream>

namespace {

using counted_heap = mallard::counted<mallard::heap<>>; // counts for the output; mallard::heap<> is enough
template <class T>
using in_heap = mallard::expandable_allocator<T, counted_heap>;

} // namespace

int main() {
    counted_heap heap;
    boost::container::vector<double, in_heap<double>> samples{heap};
    samples.reserve(50'000); // large blocks lie in a range of addresses of their own
    const double* const begin = samples.data();

    for (int i = 0; i != 5'000'000; ++i) {
        samples.push_back(0.5 * i);
    }
    std::cout << samples.size() << " samples in " << heap.counts().allocations << " block, "
              << (samples.data() == begin && heap.counts().grown_forward != 0 ? "grown where it was"
                                                                              : "copied")
              << '\n';

    samples.resize(1000);
    samples.shrink_to_fit(); // the system gets the memory back, and nothing is copied
    std::cout << samples.size() << " of them take "
              << (heap.counts().bytes_in_use < 50'000 ? "little" : "much") << " memory, "
              << (samples.data() == begin ? "in the same place" : "elsewhere") << '\n';

    boost::container::list<double, in_heap<double>> picked{heap};
    picked.insert(picked.end(), samples.begin(), samples.end()); // all nodes in one call
    picked.erase(picked.begin(), picked.end());                  // and back in one
    std::cout << samples.size() << " nodes came in " << heap.counts().bursts << " call and went in "
              << heap.counts().bursts_back << '\n';
}
