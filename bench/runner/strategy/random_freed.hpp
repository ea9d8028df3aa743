/// The order of reuse "at random": the state of a pool after a very long life. It is the worst case, for the
/// benchmark only.
///
/// Data model: the addresses of the free blocks of each size, in memory of the global allocator, which orders of the
/// library must not use. A block is drawn uniformly, and the last one takes its place. If a call that must not fail
/// runs out of memory, the program ends.
#pragma once

#include "runner/harness/quick_random.hpp"

#include <mallard/core/sanitizer.hpp>
#include <mallard/reuse/order.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace bench {

/// The free blocks of one size.
class random_blocks : public mallard::reuse::carves_one_size {
public:
    explicit random_blocks(std::size_t block_bytes, std::size_t = mallard::fundamental_alignment) noexcept
        : mallard::reuse::carves_one_size(block_bytes) {}

    [[nodiscard]] void* pop() noexcept {
        if (blocks_.empty()) {
            return nullptr;
        }
        void*& drawn = blocks_[random_.below(blocks_.size())];
        void* block = std::exchange(drawn, blocks_.back());
        blocks_.pop_back();
        return block;
    }

    void push(void* p) noexcept {
        blocks_.push_back(p);
        mallard::core::poison(p, block_bytes());
    }

    [[nodiscard]] bool empty() const noexcept { return blocks_.empty(); }

    void clear() noexcept { blocks_.clear(); }

private:
    std::vector<void*> blocks_;
    quick_random random_{1};
};

/// The free blocks of each size class.
template <mallard::size_class_policy Classes>
class random_blocks_by_class : public mallard::reuse::carves_by_class<Classes> {
public:
    [[nodiscard]] void* pop(std::size_t index) noexcept {
        random_blocks* blocks = find_blocks(index);
        return blocks != nullptr ? blocks->pop() : nullptr;
    }

    [[nodiscard]] bool push(void* p, std::size_t index) noexcept {
        random_blocks* blocks = find_blocks(index);
        if (blocks == nullptr) [[unlikely]] {
            return false;
        }
        blocks->push(p);
        return true;
    }

    [[nodiscard]] bool serves(std::size_t index) const noexcept {
        return std::ranges::find(shelves_, index, &shelf::index) != shelves_.end();
    }

    static std::size_t bytes_to_serve(std::size_t, std::size_t) noexcept { return 0; }

    void serve(std::size_t index, std::size_t, std::byte*) noexcept {
        shelves_.push_back({index, random_blocks(Classes::bytes(index))});
    }

    /// The remainder of a chunk is dropped: it is smaller than a block, and there is at most one per chunk.
    static void donate(std::byte*, std::size_t) noexcept {}

    void clear() noexcept { shelves_.clear(); }

private:
    struct shelf {
        std::size_t index;
        random_blocks blocks;
    };

    random_blocks* find_blocks(std::size_t index) noexcept {
        const auto match = std::ranges::find(shelves_, index, &shelf::index);
        return match == shelves_.end() ? nullptr : &match->blocks;
    }

    std::vector<shelf> shelves_;
};

struct random_freed {
    template <mallard::size_class_policy Classes>
    using by_class = random_blocks_by_class<Classes>;
    using of_one_size = random_blocks;
};

static_assert(mallard::reuse_order<random_freed>);

} // namespace bench
