// A class with a pool of its own for new and delete.
//
// A simulation makes and deletes events all the time, and owns them by plain pointers. The base mallard::pooled
// takes them from a pool; code that says `new event` does not change. Derived classes of another size still come
// from the global heap.
#include <mallard/mallard.hpp>

#include <algorithm>
#include <iostream>
#include <memory>
#include <new>
#include <vector>

namespace {

class event : public mallard::pooled<event> {
public:
    explicit event(int at = 0) : at_(at) {}
    event(const event&) = delete;
    event& operator=(const event&) = delete;
    virtual ~event() = default;

    [[nodiscard]] int at() const { return at_; }

private:
    int at_;
    [[maybe_unused]] double parameters_[3] = {};
};

class long_event final : public event {
    using event::event;
    [[maybe_unused]] char log_[200] = {};
};

// For tests, and for programs without a heap: at most four of them, in an array of the program's.
class valve;
struct valves
    : mallard::single_threaded<valves,
                               mallard::fixed_pool<mallard::static_arena<4 * sizeof(double)>,
                                                   mallard::last_freed, mallard::block_size::of<double>()>> {
};
class valve : public mallard::pooled<valve, valves> {
    [[maybe_unused]] double opening_ = 0;
};

} // namespace

int main() {
    std::vector<std::unique_ptr<event>> agenda;
    for (int i = 0; i != 1000; ++i) {
        agenda.emplace_back(new event(i));
    }
    const auto replace = [&agenda](int events) {
        for (int i = 0; i != events; ++i) {
            agenda[static_cast<std::size_t>(i % 1000)].reset(new event(i));
        }
    };
    replace(10'000); // a debug build keeps the last thousand freed events in quarantine
    const std::size_t held = event::pool().stats().chunk_bytes;
    replace(1'000'000);
    std::cout << "a million events later the pool has "
              << (event::pool().stats().chunk_bytes == held ? "not grown" : "grown") << '\n';

    const auto is_pooled = [](const event* p) { return event::pool().owns(p) ? "the pool" : "the heap"; };
    const std::unique_ptr<event> one(new (std::nothrow) event);
    const std::unique_ptr<event> longer(new long_event);
    const std::unique_ptr<event[]> several(new event[10]);
    std::cout << "an event is from " << is_pooled(one.get()) << ", a longer one from "
              << is_pooled(longer.get()) << ", an array from " << is_pooled(several.get()) << '\n';

    for (int test = 0; test != 3; ++test) {
        int valve_count = 0;
        while (new (std::nothrow) valve != nullptr) {
            ++valve_count;
        }
        std::cout << "room for " << valve_count << " valves" << (test == 2 ? "\n" : ", reset, ");
        valves::pool().release(); // forgets the valves, which need no destructor
    }
}
