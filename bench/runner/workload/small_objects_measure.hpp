/// The Loki test over one source of memory: its loops, and the figures of each phase.
#pragma once

#include "runner/harness/checksum.hpp"
#include "runner/harness/escape.hpp"
#include "runner/harness/memory.hpp"
#include "runner/harness/quick_random.hpp"
#include "runner/harness/row.hpp"
#include "runner/strategy/null_source.hpp"
#include "runner/strategy/source_of.hpp"
#include "runner/workload/trimmed_growth.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace bench {

/// The experiment uses only the first byte of an object.
using object_pointer = unsigned char*;

/// Effects: allocates an object for every element of `objects`, and writes the low byte of its index into it.
template <class Source>
[[gnu::noinline]] void allocate_objects(Source& source, block_shape shape,
                                        std::span<object_pointer> objects) {
    unsigned char number = 0;
    for (object_pointer& place : objects) {
        auto* const object = static_cast<object_pointer>(source.allocate(shape.bytes, shape.alignment));
        *object = number++;
        place = object;
    }
}

/// Effects: deallocates every object, from the back.
template <class Source>
[[gnu::noinline]] void deallocate_objects(Source& source, block_shape shape,
                                          std::span<object_pointer> objects) {
    for (std::size_t remaining = objects.size(); remaining != 0; --remaining) {
        source.deallocate(objects[remaining - 1], shape.bytes, shape.alignment);
    }
}

/// Effects: shuffles the pointers.
inline void shuffle_objects(std::span<object_pointer> objects, std::uint64_t seed) noexcept {
    quick_random draw(seed);
    for (std::size_t remaining = objects.size(); remaining > 1; --remaining) {
        std::swap(objects[remaining - 1], objects[draw.below(remaining)]);
    }
}

/// Effects: increments the first byte of every object, in the order of the pointers.
[[gnu::noinline]] inline void traverse_objects(std::span<object_pointer> objects) noexcept {
    for (object_pointer object : objects) {
        ++*object;
    }
    escape(objects.data());
}

/// Returns: a checksum of the objects' contents, in the order of the pointers. It changes if two objects
/// overlap.
[[nodiscard]] inline std::uint64_t contents_checksum(std::span<const object_pointer> objects) noexcept {
    checksum sum;
    for (const unsigned char* object : objects) {
        sum.add(*object);
    }
    return sum.value();
}

/// Records the time of each phase in nanoseconds per object, and the memory held after it in bytes.
class small_objects_run {
public:
    /// `baseline` is the memory held at the start.
    small_objects_run(block_shape shape, std::span<object_pointer> objects, held_memory baseline,
                      std::uint64_t seed, bool shuffled, run_options& options)
        : shape_(shape), objects_(objects), baseline_(baseline), seed_(seed), shuffled_(shuffled),
          options_(options) {}

    template <class Source>
    void operator()(Source& source) {
        allocate(source, "allocate_ns");
        const held_memory held = inspect_memory();
        figure("held_bytes", grown_to(held.bytes));
        figure("huge_bytes", static_cast<double>(held.huge_bytes - baseline_.huge_bytes));
        if (shuffled_) {
            time_untimed("shuffle_ns", [this] { shuffle_objects(objects_, seed_); });
        }
        deallocate(source, "free_ns");
        const held_memory freed = inspect_memory();
        figure("freed_bytes", grown_to(freed.bytes));
        figure("offered_bytes", static_cast<double>(freed.offered_bytes - baseline_.offered_bytes));
        if constexpr (std::is_same_v<Source, null_source>) {
            source.release(); // null reuses its memory
        }
        allocate(source, "reallocate_ns");
        time("traverse_ns", [this] { traverse_objects(objects_); });
        sum_ = contents_checksum(objects_);
        static_cast<void>(grown_to(inspect_memory().bytes));
        figure("peak_bytes", static_cast<double>(peak_bytes_));
        deallocate_objects(source, shape_, objects_);
        if (const auto trimmed = trimmed_growth(source, baseline_.bytes, options_)) {
            figure("trimmed_bytes", static_cast<double>(*trimmed));
        }
    }

    /// Effects: writes the results to the row.
    /// Requires: the source is destroyed.
    void write(row& result) {
        trim_process();
        figure("returned_bytes", grown_to(inspect_memory().bytes));
        result.timed = timed_;
        result.operations = static_cast<std::int64_t>(objects_.size());
        result.iterations = 1;
        result.checksum = to_hexadecimal(sum_);
        result.figures = std::move(figures_);
    }

private:
    template <class Source>
    void allocate(Source& source, const char* name) {
        time(name, [&] { allocate_objects(source, shape_, objects_); });
    }

    template <class Source>
    void deallocate(Source& source, const char* name) {
        time(name, [&] { deallocate_objects(source, shape_, objects_); });
    }

    template <class Phase>
    void time(const char* name, Phase&& phase) {
        timed_ += time_untimed(name, phase);
    }

    /// Effects: runs the phase, and adds its time to the figures.
    /// Returns: its cost, which is not part of the row's time.
    template <class Phase>
    cost time_untimed(const char* name, Phase&& phase) {
        const stopwatch watch;
        phase();
        const cost elapsed = watch.elapsed();
        figure(name, static_cast<double>(elapsed.cpu_ns) / static_cast<double>(objects_.size()));
        return elapsed;
    }

    void figure(const char* name, double value) { figures_.emplace_back(name, value); }

    /// Effects: updates the largest growth.
    /// Returns: the growth of memory over the baseline.
    double grown_to(std::int64_t bytes) noexcept {
        peak_bytes_ = std::max(peak_bytes_, bytes - baseline_.bytes);
        return static_cast<double>(bytes - baseline_.bytes);
    }

    block_shape shape_;
    std::span<object_pointer> objects_;
    held_memory baseline_;
    std::uint64_t seed_;
    bool shuffled_;
    run_options& options_;
    std::int64_t peak_bytes_ = 0;
    cost timed_;
    std::uint64_t sum_ = 0;
    std::vector<std::pair<std::string, double>> figures_;
};

} // namespace bench
