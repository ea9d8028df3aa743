/// The work of reuse over any source of blocks.
///
///     blocks_    [ p | bytes ] [ p | bytes ] ...    a place for each block
///     freed_     [ place ] [ place ] ...            the places whose blocks a round frees, in this order
///     refilled_  [ place ] [ place ] ...            the same places, in the order of their new blocks
#pragma once

#include "runner/harness/checksum.hpp"
#include "runner/harness/escape.hpp"
#include "runner/harness/quick_random.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace bench {

enum class reuse_pattern { in_order, reversed, at_random, replaced, half };

inline constexpr std::string_view reuse_pattern_names[] = {"in-order", "reversed", "random", "replaced",
                                                           "half"};

struct reuse_shape {
    std::size_t block_bytes;
    std::size_t alignment;
    std::size_t live;
    reuse_pattern pattern;
    bool mixed; ///< sizes are drawn evenly from 16 to `block_bytes`
    std::uint64_t seed;
};

/// The input, drawn before the clock starts.
class reuse_input {
public:
    explicit reuse_input(const reuse_shape& shape) : shape_(shape), freed_(shape.live) {
        quick_random random(shape.seed);
        std::iota(freed_.begin(), freed_.end(), std::uint32_t{0});
        if (shape.pattern == reuse_pattern::reversed) {
            std::ranges::reverse(freed_);
        } else if (shape.pattern != reuse_pattern::in_order) {
            for (std::size_t remaining = freed_.size(); remaining > 1; --remaining) {
                std::swap(freed_[remaining - 1], freed_[random.below(remaining)]);
            }
        }
        if (shape.pattern == reuse_pattern::half) {
            freed_.resize((shape.live + 1) / 2);
        }
        refilled_ = freed_;
        std::ranges::sort(refilled_);
        if (shape.mixed) {
            std::ranges::generate(sizes_, [&] {
                return static_cast<std::uint32_t>(least_bytes +
                                                  random.below(shape.block_bytes - least_bytes + 1));
            });
        }
    }

    [[nodiscard]] const reuse_shape& shape() const noexcept { return shape_; }
    [[nodiscard]] std::span<const std::uint32_t> freed() const noexcept { return freed_; }
    [[nodiscard]] std::span<const std::uint32_t> refilled() const noexcept { return refilled_; }

    /// Returns: the size of the allocation with this number.
    [[nodiscard]] std::size_t drawn_bytes(std::uint64_t number) const noexcept {
        return sizes_[number % sizes_.size()];
    }

    static constexpr std::size_t least_bytes = 16;

private:
    reuse_shape shape_;
    std::vector<std::uint32_t> freed_;
    std::vector<std::uint32_t> refilled_;
    std::vector<std::uint32_t> sizes_ = std::vector<std::uint32_t>(std::size_t{1} << 13);
};

template <bool Mixed>
struct reuse_block {
    std::byte* p;
};
template <>
struct reuse_block<true> {
    std::byte* p;
    std::size_t bytes;
};

template <bool Mixed>
class reuse_work {
public:
    explicit reuse_work(const reuse_input& input)
        : input_(input), shape_(input.shape()), blocks_(shape_.live) {}

    /// Effects: allocates a block for each place.
    template <class Source>
    [[gnu::noinline]] void fill(Source& source) {
        for (reuse_block<Mixed>& block : blocks_) {
            begin(source, block);
        }
    }

    /// Effects: frees the blocks of the input's freed(), and allocates new ones.
    template <class Source>
    [[gnu::noinline]] void round(Source& source) {
        if (shape_.pattern == reuse_pattern::replaced) {
            for (const std::uint32_t place : input_.freed()) {
                end(source, blocks_[place]);
                begin(source, blocks_[place]);
            }
            return;
        }
        for (const std::uint32_t place : input_.freed()) {
            end(source, blocks_[place]);
        }
        for (const std::uint32_t place : input_.refilled()) {
            begin(source, blocks_[place]);
        }
    }

    /// Effects: frees all blocks.
    template <class Source>
    void empty(Source& source) {
        for (const reuse_block<Mixed>& block : blocks_) {
            end(source, block);
        }
    }

    /// Returns: a sum over the contents of the freed blocks, in the order of the frees.
    [[nodiscard]] std::uint64_t checksum() const noexcept { return sum_.value(); }

private:
    // Always inlined, so that the loops have one shape for all strategies.
    template <class Source>
    [[gnu::always_inline]] void begin(Source& source, reuse_block<Mixed>& block) {
        const std::uint64_t mark = ++marks_;
        std::size_t bytes = shape_.block_bytes; // NOLINT(misc-const-correctness): assigned if Mixed
        if constexpr (Mixed) {
            block.bytes = bytes = input_.drawn_bytes(mark);
        }
        block.p = static_cast<std::byte*>(source.allocate(bytes, shape_.alignment));
        std::memcpy(block.p, &mark, sizeof mark);
        escape(block.p);
    }

    template <class Source>
    [[gnu::always_inline]] void end(Source& source, const reuse_block<Mixed>& block) noexcept {
        std::uint64_t mark = 0;
        std::memcpy(&mark, block.p, sizeof mark);
        sum_.add(mark);
        std::size_t bytes = shape_.block_bytes; // NOLINT(misc-const-correctness): assigned if Mixed
        if constexpr (Mixed) {
            bytes = block.bytes;
        }
        source.deallocate(block.p, bytes, shape_.alignment);
    }

    const reuse_input& input_;
    const reuse_shape shape_;
    std::vector<reuse_block<Mixed>> blocks_;
    bench::checksum sum_;
    std::uint64_t marks_ = 0;
};

/// null: places of the largest size, with their addresses in a separate array; the last freed place comes first.
class null_stack {
public:
    [[nodiscard]] static std::size_t bytes(const reuse_shape& shape) noexcept {
        return shape.live * stride(shape);
    }

    /// Requires: `memory` has bytes(shape).
    null_stack(std::span<std::byte> memory, const reuse_shape& shape) : free_(shape.live) {
        std::byte* place = memory.data() + memory.size();
        for (void*& slot : free_) {
            slot = place -= stride(shape);
        }
        next_ = free_.data() + free_.size();
    }

    [[nodiscard]] void* allocate(std::size_t, std::size_t) noexcept { return *--next_; }
    void deallocate(void* p, std::size_t, std::size_t) noexcept { *next_++ = p; }

private:
    static std::size_t stride(const reuse_shape& shape) noexcept {
        return (shape.block_bytes + 15) / 16 * 16;
    }

    std::vector<void*> free_;
    void** next_ = nullptr;
};

} // namespace bench
