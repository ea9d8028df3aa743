/// A scope whose end rolls an allocator back to its begin.
#pragma once

#include <mallard/core/build_mode.hpp>
#include <mallard/core/concepts.hpp>

#include <utility>

namespace mallard { inline namespace MALLARD_MODE {

/// Rolls a rewindable allocator back to its mark, unless commit() keeps the later blocks.
///
///     mallard::checkpoint scratch{arena};      // everything allocated from here on ...
///     ...                                      // ... is gone at the closing brace
///
/// Nested checkpoints of one allocator must end in the reverse order of their beginnings, as scopes do.
template <rewindable A>
class [[nodiscard]] checkpoint {
public:
    /// Effects: takes a mark of `allocator`.
    /// Requires: it outlives the checkpoint. Meanwhile it is not released, rewound, adopted by another one, or rolled back to
    /// an earlier mark.
    explicit checkpoint(A& allocator) noexcept : allocator_(allocator), mark_(allocator.mark()) {}

    checkpoint(const checkpoint&) = delete;
    checkpoint& operator=(const checkpoint&) = delete;

    ~checkpoint() {
        if (!kept_) {
            allocator_.rollback(mark_);
        }
    }

    /// Effects: forgets the blocks allocated since the checkpoint. The checkpoint stays in force.
    void rollback() noexcept { allocator_.rollback(mark_); }

    /// Effects: keeps all blocks: the end of the scope does nothing.
    void commit() noexcept { kept_ = true; }

private:
    A& allocator_;
    decltype(std::declval<const A&>().mark()) mark_;
    bool kept_ = false;
};

template <rewindable A>
checkpoint(A&) -> checkpoint<A>;

}} // namespace mallard::MALLARD_MODE
