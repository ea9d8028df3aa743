/// The order of reuse "at random": what becomes of a pool after a very long life, at once; the worst case,
/// for the benchmark only.
///
/// Data model: the addresses of the free blocks of each size class that has any, in memory of the global
/// allocator, which orders of the library would not do. A block is drawn uniformly and the last one takes its
/// place. It may run out of memory where it must not fail: then the program ends.
#pragma once

#include "bench/harness/quick_random.hpp"

#include <mallard/core/reuse.hpp>
#include <mallard/core/sanitizer.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace bench {

class random_freed : public mallard::carves_blocks {
public:
    [[nodiscard]] void* pop(std::size_t index) noexcept {
        std::vector<void*>* blocks = shelf_of(index);
        if (blocks == nullptr || blocks->empty()) {
            return nullptr;
        }
        void*& drawn = (*blocks)[which_.below(blocks->size())];
        void* block = std::exchange(drawn, blocks->back());
        blocks->pop_back();
        return block;
    }

    [[nodiscard]] bool push(void* p, std::size_t index) noexcept {
        std::vector<void*>* blocks = shelf_of(index);
        if (blocks == nullptr) [[unlikely]] {
            return false;
        }
        blocks->push_back(p);
        mallard::poison(p, mallard::class_bytes(index));
        return true;
    }

    void reach(void* p, std::size_t index, std::size_t) noexcept {
        shelves_.push_back({index, {}});
        static_cast<void>(push(p, index));
    }

    /// The remainder of a chunk is left alone: it is less than a block, and at most one a chunk.
    static void donate(std::byte*, std::size_t, std::size_t) noexcept {}

    void clear() noexcept { shelves_.clear(); }

private:
    struct shelf {
        std::size_t index;
        std::vector<void*> blocks;
    };

    std::vector<void*>* shelf_of(std::size_t index) noexcept {
        const auto found = std::ranges::find(shelves_, index, &shelf::index);
        return found == shelves_.end() ? nullptr : &found->blocks;
    }

    std::vector<shelf> shelves_;
    quick_random which_{1};
};

static_assert(mallard::reuse_order<random_freed>);

} // namespace bench
