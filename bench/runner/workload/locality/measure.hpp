/// The system of Benchmark II, subsystems that exchange elements and are visited, for one type of list; its steps and
/// their times.
///
///     system:     [ * | * | * | ... ]     k = links / list_length pointers
///                   |
///     subsystem:  [ its allocator | std::list<int> ]   made by `new`, one after the other
///                                     |
///     links:      [ ]-[ ]-[ ]- ...    from the subsystem's allocator
///
/// This code is compiled once for each type of list. For the abstract base it is compiled in abstract.cpp,
/// where the compiler knows no resource.
#pragma once

#include "runner/harness/escape.hpp"
#include "runner/harness/process.hpp"
#include "runner/harness/quick_random.hpp"
#include "runner/harness/row.hpp"
#include "runner/harness/stopwatch.hpp"

#include <mallard/bind/inline_resource.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory_resource>
#include <string>
#include <vector>

namespace bench {

/// The system's view of a subsystem. The derived class holds the allocator, in front of it.
template <class List>
struct subsystem {
    template <class... Args>
    explicit subsystem(const Args&... args) : list(args...) {}

    List list;
};

/// Creates and destroys the subsystems of a strategy.
template <class List>
struct subsystem_life {
    subsystem<List>* (*make)();
    void (*destroy)(subsystem<List>*);
    std::size_t bytes; ///< the size of a subsystem, without its links
};

template <class List>
class locality_system {
public:
    /// Requires: `links` is a multiple of `list_length`.
    locality_system(const subsystem_life<List>& life, std::size_t links, std::size_t list_length)
        : life_(life), list_length_(list_length) {
        all_.assign(links / list_length, nullptr); // touches its pages before the memory is measured
    }

    locality_system(const locality_system&) = delete;
    locality_system& operator=(const locality_system&) = delete;

    ~locality_system() {
        for (subsystem<List>* s : all_) {
            if (s != nullptr) {
                life_.destroy(s);
            }
        }
    }

    /// Effects: creates the subsystems with their links.
    void build() {
        for (subsystem<List>*& s : all_) {
            s = life_.make();
            fill(s->list);
        }
    }

    /// Effects: runs one pass of shuffling. Every list is visited `list_length` times. A visit pops the front of the
    /// list, unless it is empty, and pushes its value onto the back of a random list.
    /// Returns: the number of pairs of a pop and a push.
    std::size_t shuffle(quick_random& destination) {
        std::size_t pairs = 0;
        for (std::size_t round = 0; round != list_length_; ++round) {
            for (subsystem<List>* s : all_) {
                if (s->list.empty()) {
                    continue;
                }
                const int value = s->list.front();
                s->list.pop_front();
                all_[destination.below(all_.size())]->list.push_back(value);
                ++pairs;
            }
        }
        return pairs;
    }

    /// Effects: visits every list in turn, with `traversals` traversals of each.
    /// Returns: the number of accesses.
    std::size_t access_all(std::size_t traversals) {
        std::size_t accesses = 0;
        for (subsystem<List>* s : all_) {
            accesses += visit(s->list, traversals);
        }
        return accesses;
    }

    /// Effects: visits lists in turn until `least_accesses` accesses were made, beginning after the list that was
    /// visited last. A visit finds the cache as a visit of the whole system would.
    /// Returns: the number of accesses, at least `least_accesses`.
    std::size_t access_some(std::size_t traversals, std::size_t least_accesses) {
        std::size_t accesses = 0;
        while (accesses < least_accesses) {
            accesses += visit(all_[next_]->list, traversals);
            next_ = next_ + 1 == all_.size() ? 0 : next_ + 1;
        }
        return accesses;
    }

    void clear() {
        for (subsystem<List>* s : all_) {
            s->list.clear();
        }
    }

    /// Effects: fills every list with its initial number of links.
    /// Requires: all lists are empty.
    void refill() {
        for (subsystem<List>* s : all_) {
            fill(s->list);
        }
    }

    /// Returns: a checksum of the lists' lengths and values, in order.
    [[nodiscard]] std::uint64_t checksum() const {
        constexpr std::uint64_t prime = 1099511628211ULL; // FNV-1a
        std::uint64_t sum = 14695981039346656037ULL;
        for (const subsystem<List>* s : all_) {
            sum = (sum ^ s->list.size()) * prime;
            for (const int value : s->list) {
                sum = (sum ^ static_cast<std::uint64_t>(value)) * prime;
            }
        }
        return sum;
    }

    [[nodiscard]] std::size_t subsystems() const noexcept { return all_.size(); }
    [[nodiscard]] const List& list(std::size_t i) const noexcept { return all_[i]->list; }

private:
    void fill(List& list) const {
        for (std::size_t i = 0; i != list_length_; ++i) {
            list.push_back(static_cast<int>(i));
        }
    }

    static std::size_t visit(List& list, std::size_t traversals) {
        for (std::size_t i = 0; i != traversals; ++i) {
            for (int& value : list) {
                ++value;
            }
            escape(&list);
        }
        return list.size() * traversals;
    }

    subsystem_life<List> life_;
    std::size_t list_length_;
    std::vector<subsystem<List>*> all_;
    std::size_t next_ = 0;
};

struct locality_cell {
    std::size_t links;
    std::size_t list_length;
    std::vector<std::size_t> shuffle_factors; ///< ascending
    std::vector<std::size_t> access_factors;
    std::size_t accesses;      ///< the minimum of a visit; 0 with repeat_factor
    std::size_t repeat_factor; ///< the passes of a visit over the entire system; 0 with accesses
    std::uint64_t seed;
    bool look; ///< true if the checksum is computed
};

/// Returns: the number of consecutive traversals of a list in a visit: the access factor, limited so that one list
/// has at most four times the accesses of a visit. A single long list would otherwise take minutes.
[[nodiscard]] inline std::size_t traversals(const locality_cell& cell, std::size_t access_factor) noexcept {
    if (cell.repeat_factor != 0) {
        return access_factor;
    }
    return std::min(access_factor, std::max<std::size_t>(1, 4 * cell.accesses / cell.list_length));
}

/// A list behind the inline base.
using inline_list = std::list<int, mallard::inline_allocator<int>>;

template <class List>
class locality_measurement {
public:
    locality_measurement(const locality_cell& cell, const subsystem_life<List>& life, row& result)
        : cell_(cell), life_(life), result_(result), system_(life, cell.links, cell.list_length),
          destination_(cell.seed) {}

    void run() {
        const std::int64_t baseline_bytes = resident_bytes();
        const std::int64_t build_ns = measure_cpu_ns([this] { system_.build(); });
        const std::int64_t built_bytes = resident_bytes() - baseline_bytes;
        for (const std::size_t factor : cell_.shuffle_factors) {
            shuffle_up_to(factor);
            access(factor);
        }
        figure("build_ns", build_ns, cell_.links);
        figure("shuffle_ns", shuffle_ns_, pairs_);
        figure("built_bytes", built_bytes, 1);
        figure("shuffled_bytes", resident_bytes() - baseline_bytes, 1);
        figure("list_bytes", static_cast<std::int64_t>(life_.bytes), 1);
        if (cell_.look) {
            result_.checksum = to_hexadecimal(system_.checksum());
        }
        allocate_again();
    }

private:
    template <class Do>
    static std::int64_t measure_cpu_ns(Do&& work) {
        const stopwatch watch;
        work();
        return watch.elapsed().cpu_ns;
    }

    /// Effects: adds the mean, unless `count` is 0: without a shuffle, no pair has a time.
    void figure(std::string name, std::int64_t sum, std::size_t count) {
        if (count != 0) {
            result_.add_figure(std::move(name), static_cast<double>(sum) / static_cast<double>(count));
        }
    }

    void shuffle_up_to(std::size_t factor) {
        shuffle_ns_ += measure_cpu_ns([&] {
            for (; shuffled_ != factor; ++shuffled_) {
                pairs_ += system_.shuffle(destination_);
            }
        });
    }

    /// Effects: visits the lists under every access factor. The row's time is that of the visits after the last
    /// shuffle.
    void access(std::size_t shuffle_factor) {
        const bool last = shuffle_factor == cell_.shuffle_factors.back();
        for (const std::size_t factor : cell_.access_factors) {
            const stopwatch watch;
            const std::size_t accesses = access_under(factor);
            const cost elapsed = watch.elapsed();
            figure("sf" + std::to_string(shuffle_factor) + "_af" + std::to_string(factor) + "_ns",
                   elapsed.cpu_ns, accesses);
            if (last) {
                result_.timed += elapsed;
                result_.operations += static_cast<std::int64_t>(accesses);
                ++result_.iterations;
            }
        }
    }

    std::size_t access_under(std::size_t factor) {
        const std::size_t times = traversals(cell_, factor);
        if (cell_.repeat_factor == 0) {
            return system_.access_some(times, cell_.accesses);
        }
        std::size_t accesses = 0;
        for (std::size_t pass = 0; pass != cell_.repeat_factor; ++pass) {
            accesses += system_.access_all(times);
        }
        return accesses;
    }

    /// Effects: clears and refills the lists. A shuffled pool reuses its free blocks in their shuffled order.
    void allocate_again() {
        figure("clear_ns", measure_cpu_ns([this] { system_.clear(); }), cell_.links);
        figure("reallocate_ns", measure_cpu_ns([this] { system_.refill(); }), cell_.links);
        figure("reaccess_ns", measure_cpu_ns([this] { static_cast<void>(system_.access_all(1)); }),
               cell_.links);
    }

    const locality_cell& cell_;
    const subsystem_life<List>& life_;
    row& result_;
    locality_system<List> system_;
    quick_random destination_;
    std::size_t shuffled_ = 0;
    std::size_t pairs_ = 0;
    std::int64_t shuffle_ns_ = 0;
};

template <class List>
void measure_locality(const locality_cell& cell, const subsystem_life<List>& life, row& result) {
    locality_measurement<List>(cell, life, result).run();
}

/// Both are defined in locality_abstract.cpp, once for all resources.
extern template void measure_locality(const locality_cell&, const subsystem_life<std::pmr::list<int>>&, row&);
extern template void measure_locality(const locality_cell&, const subsystem_life<inline_list>&, row&);

} // namespace bench
