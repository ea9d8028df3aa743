/// The operations of an allocator, as the hook of an adaptor or of a checked allocator sees them
/// (impl/adapt/intercepted.hpp).
#pragma once

#include <mallard/core/block_chain.hpp>
#include <mallard/core/build_mode.hpp>
#include <mallard/core/expansion.hpp>

#include <concepts>
#include <cstddef>
#include <span>

namespace mallard::adapt { inline namespace MALLARD_MODE {

/// allocate(), allocate_at_least(); with `quiet` their namesakes that return null instead of throwing.
struct allocation {
    std::size_t bytes;
    std::size_t alignment;
    bool quiet = false;

    [[nodiscard]] constexpr allocation as_allocation() const noexcept { return *this; }
};

/// An operation that needs memory: as_allocation() is the request for it, of a burst that for the first block. Growth in place
/// is quiet.
template <class Operation>
concept request = requires(const Operation& operation) {
    { operation.as_allocation() } noexcept -> std::same_as<allocation>;
};

/// allocate_many().
struct burst {
    std::size_t bytes;
    std::size_t alignment;
    std::size_t count;
    std::size_t contiguous = 1; ///< the blocks of a run

    [[nodiscard]] constexpr allocation as_allocation() const noexcept { return {bytes, alignment}; }
};

/// allocate_many() of different sizes.
struct mixed_burst {
    std::span<const std::size_t> sizes;
    std::size_t alignment;

    [[nodiscard]] constexpr allocation as_allocation() const noexcept {
        return {sizes.empty() ? 0 : sizes.front(), alignment};
    }
};

/// expand(); with `quiet` try_expand().
struct growth {
    void* p;
    expansion_request request;
    bool quiet = false;

    [[nodiscard]] constexpr allocation as_allocation() const noexcept {
        return {request.least_bytes, request.alignment,
                quiet || !includes(request.allowed, expansion::fresh)};
    }
};

/// deallocate(); without numbers if the mechanism alone knows them.
struct deallocation {
    void* p = nullptr;
    std::size_t bytes = 0;
    std::size_t alignment = 1;
    bool has_numbers = true;
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
    bool is_of_blocks = false;

    [[nodiscard]] constexpr allocation as_allocation() const noexcept { return {bytes, alignment}; }
};

/// release(), or rewind() if it keeps the memory: no block lives afterwards.
struct ending {
    bool keeps_memory = false;
};

/// mark().
struct marking {};

/// rollback().
template <class Position>
struct rolling_back {
    Position to;
};

/// trim(), or tidy() if it orders what is free.
struct trimming {
    bool orders = false;
};

/// Other calls that neither hand out nor take back a block: stats(), owns(), settle(), ...
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
