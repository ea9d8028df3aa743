/// The operations of an allocator, as an adaptor's hook sees them (adapt/adaptor.hpp).
#pragma once

#include <mallard/core/block_chain.hpp>
#include <mallard/core/build_mode.hpp>
#include <mallard/core/expansion.hpp>

#include <cstddef>
#include <span>

namespace mallard::adapt { inline namespace MALLARD_MODE {

/// allocate(), allocate_at_least(); with `quiet` their namesakes that return null instead of throwing.
struct allocation {
    std::size_t bytes;
    std::size_t alignment;
    bool quiet = false;
};

/// allocate_many().
struct burst {
    std::size_t bytes;
    std::size_t alignment;
    std::size_t count;
};

/// allocate_many() of different sizes.
struct mixed_burst {
    std::span<const std::size_t> sizes;
    std::size_t alignment;
};

/// expand(); with `quiet` try_expand().
struct growth {
    void* p;
    expansion_request request;
    bool quiet = false;
};

/// deallocate().
struct deallocation {
    void* p;
    std::size_t bytes;
    std::size_t alignment;
};

/// deallocate_many() of blocks of one size.
struct burst_return {
    block_chain& blocks;
    std::size_t bytes;
    std::size_t alignment;
};

/// deallocate_many() of blocks that know their sizes.
struct mixed_return {
    block_chain& blocks;
};

/// shrink().
struct shrinking {
    void* p;
    std::size_t bytes;
};

/// resize_last().
struct resizing {
    void* p;
    std::size_t old_bytes;
    std::size_t new_bytes;
};

/// reserve(): of blocks, or of bytes.
struct reserving {
    std::size_t bytes;
    std::size_t alignment = 1;
    std::size_t count = 1;
};

/// release(), rewind(): no block lives afterwards.
struct ending {};

/// mark().
struct marking {};

/// rollback().
template <class Position>
struct rolling_back {
    Position to;
};

/// Calls that neither hand out nor take back a block: stats(), owns(), trim(), tidy(), settle(), ...
struct looking {};

/// The hook that lets every operation pass. A hook derives from it and overloads the call for the operations that it
/// has to do with.
struct passing {
    template <class Mechanism, class Operation, class Call>
    decltype(auto) operator()(Mechanism&, const Operation& operation, Call call) const {
        return call(operation);
    }

    /// Effects: lets the mechanism adopt the blocks of that behind another hook, by `call()`, which returns true if it does.
    template <class Call>
    bool adopt(passing&, Call call) const noexcept {
        return call();
    }
};

}} // namespace mallard::adapt::MALLARD_MODE
