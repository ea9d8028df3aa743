/// A deterministic expandable allocator: every block has its own plot, with room in front of it and behind it.
///
///     a plot:   [ room for growth backward | block | room for growth forward ]
///               0                          2048                              8192
///
/// A plot that was freed is used again, the one freed last first. Alignments up to 64 are honoured.
#pragma once

#include <mallard/core/alignment.hpp>
#include <mallard/core/block_chain.hpp>
#include <mallard/core/burst.hpp>
#include <mallard/core/concepts.hpp>
#include <mallard/core/expansion.hpp>
#include <mallard/core/failure.hpp>

#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <span>
#include <vector>

namespace equipment {

class plots {
public:
    static constexpr std::size_t plot_bytes = 8192;
    static constexpr std::size_t begin_in_plot = 2048;
    static constexpr std::size_t granule = 16;

    /// Effects: allocates plots for a number of blocks. Further requests are refused.
    explicit plots(std::size_t most_blocks = 64) : most_blocks_(most_blocks) {}

    plots(const plots&) = delete;
    plots& operator=(const plots&) = delete;

    [[nodiscard]] void* try_allocate(std::size_t bytes, std::size_t) noexcept {
        return try_allocate_at_least(bytes).p;
    }

    [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment) {
        return allocate_at_least(bytes, alignment).p;
    }

    [[nodiscard]] mallard::sized_block try_allocate_at_least(std::size_t bytes, std::size_t = 1) noexcept {
        if (bytes > plot_bytes - begin_in_plot || (free_plots_.empty() && used_plots_ == most_blocks_)) {
            return {};
        }
        std::byte* plot = nullptr;
        if (free_plots_.empty()) {
            plot = first_plot() + used_plots_++ * plot_bytes;
        } else {
            plot = free_plots_.back();
            free_plots_.pop_back();
        }
        std::byte* const p = plot + begin_in_plot;
        live_[p] = rounded(std::max(bytes, granule));
        return {p, live_[p]};
    }

    [[nodiscard]] mallard::sized_block allocate_at_least(std::size_t bytes, std::size_t alignment) {
        const mallard::sized_block block = try_allocate_at_least(bytes);
        if (block.p == nullptr) {
            mallard::core::fail_allocation(bytes, alignment);
        }
        return block;
    }

    /// The requested sizes, for the test.
    void deallocate(void* p, std::size_t bytes = 0, std::size_t = 1) noexcept {
        freed_.push_back({p, bytes});
        free_plots_.push_back(find_plot(p));
        live_.erase(static_cast<std::byte*>(p));
    }

    mallard::expansion_result try_expand(void* p, const mallard::expansion_request& r) noexcept {
        using mallard::expansion;
        if (p != nullptr) {
            auto* const block = static_cast<std::byte*>(p);
            std::byte* const plot = find_plot(p);
            const auto room = static_cast<std::size_t>(plot + plot_bytes - block);
            if (includes(r.allowed, expansion::forward) && r.least_bytes <= room) {
                live_[block] = std::max(live_[block], std::min(rounded(r.preferred_bytes), room));
                return {p, live_[block], expansion::forward};
            }
            const std::size_t bytes = live_[block];
            if (includes(r.allowed, expansion::backward) && r.least_bytes > bytes) {
                const std::size_t steps = (r.least_bytes - bytes + r.step_bytes - 1) / r.step_bytes;
                if (steps * r.step_bytes <= static_cast<std::size_t>(block - plot)) {
                    std::byte* const lower = block - steps * r.step_bytes;
                    live_.erase(block);
                    live_[lower] = bytes + steps * r.step_bytes;
                    return {lower, live_[lower], expansion::backward};
                }
            }
        }
        if (!includes(r.allowed, expansion::fresh)) {
            return {};
        }
        const mallard::sized_block block = try_allocate_at_least(r.preferred_bytes);
        return {block.p, block.bytes, block.p == nullptr ? expansion::none : expansion::fresh};
    }

    mallard::expansion_result expand(void* p, const mallard::expansion_request& r) {
        const mallard::expansion_result result = try_expand(p, r);
        if (result.p == nullptr && includes(r.allowed, mallard::expansion::fresh)) {
            mallard::core::fail_allocation(r.least_bytes, r.alignment);
        }
        return result;
    }

    [[nodiscard]] mallard::block_chain allocate_many(std::size_t bytes, std::size_t alignment,
                                                     std::size_t count) {
        return mallard::core::allocate_one_by_one(*this, bytes, alignment, count);
    }

    [[nodiscard]] mallard::block_chain allocate_many(std::span<const std::size_t> sizes,
                                                     std::size_t alignment) {
        mallard::block_chain blocks;
        for (const std::size_t bytes : sizes) {
            blocks.push_back(allocate(bytes, alignment));
        }
        return blocks;
    }

    void deallocate_many(mallard::block_chain&& blocks, std::size_t = 0, std::size_t = 1) noexcept {
        while (void* p = blocks.pop_front()) {
            deallocate(p);
        }
    }

    std::size_t shrink(void* p, std::size_t bytes) noexcept {
        return live_[static_cast<std::byte*>(p)] = rounded(bytes);
    }

    [[nodiscard]] std::size_t shrunk_bytes(const void*, std::size_t bytes) const noexcept {
        return rounded(bytes);
    }

    [[nodiscard]] std::size_t usable_bytes(const void* p) const noexcept {
        return live_.at(const_cast<std::byte*>(static_cast<const std::byte*>(p)));
    }

    void release() noexcept {
        live_.clear();
        free_plots_.clear();
        used_plots_ = 0;
    }

    [[nodiscard]] const std::map<std::byte*, std::size_t>& live() const { return live_; }
    [[nodiscard]] const std::vector<mallard::sized_block>& freed() const { return freed_; }

private:
    static std::size_t rounded(std::size_t bytes) { return mallard::core::align_up(bytes, granule); }

    [[nodiscard]] std::byte* first_plot() {
        return ground_.get() + mallard::core::padding_to(ground_.get(), 64);
    }

    [[nodiscard]] std::byte* find_plot(const void* p) {
        const auto offset = static_cast<std::size_t>(static_cast<const std::byte*>(p) - first_plot());
        return first_plot() + offset / plot_bytes * plot_bytes;
    }

    std::size_t most_blocks_;
    std::unique_ptr<std::byte[]> ground_{new std::byte[most_blocks_ * plot_bytes + 64]};
    std::size_t used_plots_ = 0;
    std::vector<std::byte*> free_plots_;
    std::map<std::byte*, std::size_t> live_; // begin -> bytes
    std::vector<mallard::sized_block> freed_;
};

static_assert(mallard::expandable<plots> && mallard::local_allocator<plots>);
static_assert(mallard::mixed_burst_allocator<plots>);

} // namespace equipment
