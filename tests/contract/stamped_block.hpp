/// A block with a stamp, which detects double allocations and foreign writes.
#pragma once

#include "model/shadow.hpp"

#include <mallard/core/alignment.hpp>

#include <atomic>
#include <cstddef>

namespace contract {

class stamped_block {
public:
    struct shape {
        std::size_t bytes;
        std::size_t alignment;
    };

    stamped_block() = default;

    /// Effects: allocates a block and writes its stamp to every byte.
    template <class A>
    static stamped_block make_in(A& a, shape s) {
        static std::atomic<unsigned> count = 0;
        stamped_block b;
        b.block_ = {static_cast<std::byte*>(a.allocate(s.bytes, s.alignment)), s.bytes, s.bytes, s.alignment,
                    count.fetch_add(1, std::memory_order_relaxed)};
        b.block_.write();
        return b;
    }

    [[nodiscard]] bool is_intact() const {
        return mallard::core::is_aligned(block_.p, block_.alignment) && block_.is_intact();
    }

    /// Returns: 1 if the block has changed, else 0.
    template <class A>
    [[nodiscard]] int free_from(A& a) const {
        const int wrong = is_intact() ? 0 : 1;
        a.deallocate(block_.p, block_.bytes, block_.alignment);
        return wrong;
    }

private:
    model::block block_;
};

} // namespace contract
