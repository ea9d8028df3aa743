/// The work of heap-churn over any source of blocks.
///
///     blocks_   [ p | bytes ] [ p | bytes ] ...    a place for each live block
///     steps_    [ place | bytes ] ...              the place whose block is freed, and the size of the next block there
///
/// Data model: churn_input draws the steps in advance and counts the live bytes; churn_work does the steps. A
/// batch of steps fits into the second-level cache.
#pragma once

#include "runner/harness/checksum.hpp"
#include "runner/harness/escape.hpp"
#include "runner/harness/quick_random.hpp"
#include "runner/harness/static_buffer.hpp"
#include "runner/harness/stopwatch.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

namespace bench {

inline constexpr std::size_t churn_alignment = 16;

struct churn_shape {
    std::size_t live;
    std::size_t least_bytes;
    std::size_t most_bytes;
    std::uint64_t seed;
};

struct churn_step {
    std::uint32_t place;
    std::uint32_t bytes;
};

class churn_input {
public:
    explicit churn_input(const churn_shape& shape)
        : shape_(shape), random_(shape.seed), sizes_(shape.live), steps_(most_steps) {}

    [[nodiscard]] const churn_shape& shape() const noexcept { return shape_; }

    /// Effects: draws the sizes of the first blocks.
    std::span<const std::uint32_t> draw_first() {
        for (std::uint32_t& bytes : sizes_) {
            bytes = draw_bytes();
            live_bytes_ += bytes;
        }
        peak_live_bytes_ = live_bytes_;
        return sizes_;
    }

    /// Returns: the next steps, at most `count`. The next call overwrites them.
    std::span<const churn_step> draw(std::size_t count) {
        const std::span<churn_step> batch = std::span(steps_).first(std::min(count, steps_.size()));
        for (churn_step& step : batch) {
            step.place = static_cast<std::uint32_t>(random_.below(shape_.live));
            step.bytes = draw_bytes();
            live_bytes_ += step.bytes - std::size_t{std::exchange(sizes_[step.place], step.bytes)};
            peak_live_bytes_ = std::max(peak_live_bytes_, live_bytes_);
        }
        return batch;
    }

    [[nodiscard]] std::size_t live_bytes() const noexcept { return live_bytes_; }
    [[nodiscard]] std::size_t peak_live_bytes() const noexcept { return peak_live_bytes_; }

private:
    static constexpr std::size_t most_steps = std::size_t{1} << 14;

    std::uint32_t draw_bytes() noexcept {
        const std::size_t choices = shape_.most_bytes - shape_.least_bytes + 1;
        return static_cast<std::uint32_t>(shape_.least_bytes + random_.below(choices));
    }

    churn_shape shape_;
    quick_random random_;
    std::vector<std::uint32_t> sizes_;
    std::vector<churn_step> steps_;
    std::size_t live_bytes_ = 0;
    std::size_t peak_live_bytes_ = 0;
};

struct live_block {
    std::byte* p;
    std::size_t bytes;
};

class churn_work {
public:
    /// Requires: `blocks` has a place for each live block.
    churn_work(churn_input& input, std::span<live_block> blocks) noexcept : input_(input), blocks_(blocks) {}

    /// Effects: allocates the first blocks.
    template <class Source>
    void fill(Source& source) {
        fill(source, input_.draw_first());
    }

    /// Effects: `count` times frees a block and allocates a new one.
    /// Returns: the cost of the steps, without that of drawing them.
    template <class Source>
    cost churn(Source& source, std::size_t count) {
        cost total;
        while (count != 0) {
            const std::span<const churn_step> batch = input_.draw(count);
            const stopwatch watch;
            do_steps(source, batch);
            total += watch.elapsed();
            count -= batch.size();
        }
        return total;
    }

    /// Effects: frees all blocks.
    template <class Source>
    void empty(Source& source) {
        for (const live_block& block : blocks_) {
            end(source, block);
        }
    }

    /// Returns: a checksum of the contents of the freed blocks, in the order in which they were freed.
    [[nodiscard]] std::uint64_t checksum() const noexcept { return sum_.value(); }

private:
    template <class Source>
    void begin(Source& source, live_block& block, std::size_t bytes) {
        auto* const p = static_cast<std::byte*>(source.allocate(bytes, churn_alignment));
        const std::uint64_t mark = ++marks_;
        std::memcpy(p, &mark, sizeof mark);
        p[bytes - 1] = static_cast<std::byte>(mark);
        escape(p);
        block = {p, bytes};
    }

    template <class Source>
    void end(Source& source, const live_block& block) noexcept {
        std::uint64_t mark = 0;
        std::memcpy(&mark, block.p, sizeof mark);
        sum_.add(mark);
        source.deallocate(block.p, block.bytes, churn_alignment);
    }

    template <class Source>
    [[gnu::noinline]] void fill(Source& source, std::span<const std::uint32_t> sizes) {
        live_block* place = blocks_.data();
        for (const std::uint32_t bytes : sizes) {
            begin(source, *place++, bytes);
        }
    }

    template <class Source>
    [[gnu::noinline]] void do_steps(Source& source, std::span<const churn_step> steps) {
        for (const churn_step& step : steps) {
            live_block& block = blocks_[step.place];
            end(source, block);
            begin(source, block, step.bytes);
        }
    }

    churn_input& input_;
    std::span<live_block> blocks_;
    bench::checksum sum_;
    std::uint64_t marks_ = 0;
};

/// null: a place of the largest size for every live block. The place that was freed last is reused first. Places are
/// some cache lines longer than blocks, so that their ends do not share the sets of a cache.
class null_places {
public:
    [[nodiscard]] static std::size_t bytes(const churn_shape& shape) noexcept {
        return (shape.live + 1) * stride(shape);
    }

    /// Requires: `memory` has bytes(shape).
    null_places(std::span<std::byte> memory, const churn_shape& shape) noexcept
        : next_(memory.data()), stride_(stride(shape)) {}

    [[nodiscard]] void* allocate(std::size_t, std::size_t) noexcept {
        std::byte* const block = next_;
        next_ += stride_; // for the first blocks; each later block reuses the freed place
        return block;
    }

    void deallocate(void* p, std::size_t, std::size_t) noexcept { next_ = static_cast<std::byte*>(p); }

private:
    static std::size_t stride(const churn_shape& shape) noexcept {
        return (shape.most_bytes + 63) / 64 * 64 + 192;
    }

    std::byte* next_;
    std::size_t stride_;
};

} // namespace bench
