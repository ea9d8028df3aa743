/// The steps of Benchmark II for one type of list, and their times.
#pragma once

#include "runner/harness/process.hpp"
#include "runner/harness/row.hpp"
#include "runner/harness/stopwatch.hpp"
#include "runner/workload/locality/system.hpp"

#include <mallard/bind/inline_resource.hpp>

#include <list>
#include <memory_resource>
#include <string>
#include <vector>

namespace bench {

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
