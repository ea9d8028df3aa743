/// A block with a stamp in every byte, which detects double allocations and foreign writes.
#pragma once

#include <mallard/core/alignment.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstring>

namespace contract {

class stamped_block {
public:
    struct shape {
        std::size_t bytes;
        std::size_t alignment;
    };

    stamped_block() = default;

    /// Effects: allocates a block and fills it with a stamp that differs from those of the next 250 blocks.
    template <class A>
    static stamped_block make_in(A& a, shape s) {
        static std::atomic<unsigned> count = 0;
        stamped_block b;
        b.shape_ = s;
        b.stamp_ = static_cast<unsigned char>(1 + count.fetch_add(1, std::memory_order_relaxed) % 251);
        b.p_ = static_cast<unsigned char*>(a.allocate(s.bytes, s.alignment));
        std::memset(b.p_, b.stamp_, s.bytes);
        return b;
    }

    [[nodiscard]] bool is_intact() const {
        return mallard::core::is_aligned(p_, shape_.alignment) &&
               std::all_of(p_, p_ + shape_.bytes, [this](unsigned char c) { return c == stamp_; });
    }

    /// Returns: 1 if the block has changed, else 0.
    template <class A>
    [[nodiscard]] int free_from(A& a) const {
        const int wrong = is_intact() ? 0 : 1;
        a.deallocate(p_, shape_.bytes, shape_.alignment);
        return wrong;
    }

private:
    unsigned char* p_ = nullptr;
    shape shape_{};
    unsigned char stamp_ = 0;
};

} // namespace contract
