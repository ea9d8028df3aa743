/// The hook of the adaptors that know how many bytes are in use, through releases and rollbacks too.
#pragma once

#include <mallard/adapt/operations.hpp>
#include <mallard/core/block_chain.hpp>
#include <mallard/core/build_mode.hpp>
#include <mallard/core/expansion.hpp>

#include <cstddef>
#include <utility>

namespace mallard::adapt::inline MALLARD_MODE {

/// Data model: the sum of the sizes of the live blocks: their requested bytes, or all their bytes if the
/// mechanism is expandable. A caller that grows or frees an expandable block need not know its request. A mark
/// holds the sum, so that a rollback restores it.
class metered : public passing {
public:
    using passing::operator();

    /// Returns: the bytes that were allocated and neither deallocated nor forgotten since.
    [[nodiscard]] std::size_t bytes_in_use() const noexcept { return bytes_in_use_; }

    template <class Mechanism, class Call>
    void operator()(Mechanism& m, const deallocation& d, Call call) {
        bytes_in_use_ -= bytes_of(m, d.p, d.bytes);
        call(d);
    }

    template <class Mechanism, class Call>
    void operator()(Mechanism& m, const burst_return& b, Call call) {
        bytes_in_use_ -= bytes_of(m, b.blocks, b.bytes);
        call(b);
    }

    template <class Mechanism, class Call>
    void operator()(Mechanism& m, const mixed_return& b, Call call) {
        bytes_in_use_ -= bytes_of(m, b.blocks, 0);
        call(b);
    }

    template <class Mechanism, class Call>
    std::size_t operator()(Mechanism& m, const shrinking& s, Call call) {
        const std::size_t before = bytes_of(m, s.p, 0);
        const std::size_t left = call(s);
        bytes_in_use_ -= before - left;
        return left;
    }

    template <class Mechanism, class Call>
    void operator()(Mechanism&, ending e, Call call) {
        call(e);
        bytes_in_use_ = 0;
    }

    template <class Mechanism, class Call>
    auto operator()(Mechanism&, marking m, Call call) const {
        return std::pair{call(m), bytes_in_use_};
    }

    template <class Mechanism, class Position, class Call>
    void operator()(Mechanism&, const rolling_back<Position>& r, Call call) {
        call(rolling_back<decltype(r.to.first)>{r.to.first});
        bytes_in_use_ = r.to.second;
    }

protected:
    /// Returns: the bytes of a block, which the caller says has `bytes` bytes; none of null.
    template <class Mechanism>
    [[nodiscard]] static std::size_t bytes_of(const Mechanism& m, const void* p, std::size_t bytes) noexcept {
        if constexpr (expandable<Mechanism>) {
            return p != nullptr ? m.usable_bytes(p) : 0;
        } else {
            return bytes;
        }
    }

    template <class Mechanism>
    [[nodiscard]] static std::size_t bytes_of(const Mechanism&, const sized_block& block,
                                              std::size_t) noexcept {
        return block.bytes;
    }

    /// Returns: the bytes of all blocks of a chain.
    template <class Mechanism>
    [[nodiscard]] static std::size_t bytes_of(const Mechanism& m, const block_chain& blocks,
                                              std::size_t bytes) noexcept {
        if constexpr (expandable<Mechanism>) {
            std::size_t sum = 0;
            blocks.for_each([&](const void* p) { sum += m.usable_bytes(p); });
            return sum;
        } else {
            return blocks.size() * bytes;
        }
    }

    [[nodiscard]] static const void* address_of(const void* p) noexcept { return p; }
    [[nodiscard]] static const void* address_of(const sized_block& block) noexcept { return block.p; }

    /// Effects: counts the growth of a block that had `before` bytes.
    void follow(const expansion_result& done, std::size_t before) noexcept {
        bytes_in_use_ += done.how == expansion::fresh ? done.bytes : done.bytes - before;
    }

    std::size_t bytes_in_use_ = 0;
};

} // namespace mallard::adapt::inline MALLARD_MODE
