/// The hook of the adaptors that know how many bytes are in use, through releases and rollbacks too.
#pragma once

#include <mallard/core/block_chain.hpp>
#include <mallard/core/build_mode.hpp>
#include <mallard/core/expansion.hpp>
#include <mallard/core/utility.hpp>
#include <mallard/impl/adapt/operations.hpp>

#include <atomic>
#include <cstddef>
#include <type_traits>
#include <utility>

namespace mallard::adapt { inline namespace MALLARD_MODE {

/// A number that one thread changes; with `Shared`, several at once.
template <bool Shared>
class tally {
public:
    [[nodiscard]] operator std::size_t() const noexcept {
        if constexpr (Shared) {
            return number_.load(std::memory_order_relaxed);
        } else {
            return number_;
        }
    }

    tally& operator=(std::size_t number) noexcept {
        if constexpr (Shared) {
            number_.store(number, std::memory_order_relaxed);
        } else {
            number_ = number;
        }
        return *this;
    }

    /// Returns: the sum.
    std::size_t operator+=(std::size_t more) noexcept {
        if constexpr (Shared) {
            return number_.fetch_add(more, std::memory_order_relaxed) + more;
        } else {
            return number_ += more;
        }
    }
    std::size_t operator-=(std::size_t less) noexcept { return *this += std::size_t{0} - less; }
    std::size_t operator++() noexcept { return *this += 1; }
    std::size_t operator--() noexcept { return *this -= 1; }

    /// Effects: adds `more`, unless the sum would exceed `limit`. Nothing can always be added.
    /// Returns: true if it did.
    [[nodiscard]] bool add_within(std::size_t more, std::size_t limit) noexcept {
        return add_within(more, more, limit);
    }

    /// Effects: adds `more`, or less if the sum would exceed `limit`, but not less than `least`.
    /// Returns: true if it did, with the addend in `more`.
    [[nodiscard]] bool add_within(std::size_t least, std::size_t& more, std::size_t limit) noexcept {
        const std::size_t most = more;
        std::size_t number = *this;
        do {
            more = core::min(most, limit - core::min(limit, number));
            if (more < least) {
                return false;
            }
        } while (!replace(number, number + more));
        return true;
    }

    /// Effects: makes it `number` if it is less.
    void raise_to(std::size_t number) noexcept {
        std::size_t old_number = *this;
        while (old_number < number && !replace(old_number, number)) {
        }
    }

private:
    /// Returns: false, with the present number in `old_number`, if another thread changed it.
    [[nodiscard]] bool replace(std::size_t& old_number, std::size_t number) noexcept {
        if constexpr (Shared) {
            return number_.compare_exchange_weak(old_number, number, std::memory_order_relaxed);
        } else {
            number_ = number;
            return true;
        }
    }

    std::conditional_t<Shared, std::atomic<std::size_t>, std::size_t> number_{0};
};

/// Data model: the sum of the sizes of the live blocks: their requested bytes, or all their bytes if the
/// mechanism is expandable. A caller that grows or frees an expandable block need not know its request. A mark
/// holds the sum, and a rollback lowers the sum to it. Which blocks are older than a mark is not known: if a rollback
/// ends blocks, as many bytes of older ones that were deallocated since the mark count again, so that the sum is never
/// less than the live blocks'.
/// Threads: with `Shared`, any may allocate and deallocate; a release excludes them.
template <bool Shared = false>
class metered : public passing {
public:
    using passing::operator();

    /// Returns: the allocated bytes that were neither deallocated nor released.
    [[nodiscard]] std::size_t bytes_in_use() const noexcept { return bytes_in_use_; }

    template <class Mechanism, class Call>
    void operator()(Mechanism& m, const deallocation& d, Call call) {
        bytes_in_use_ -= counted_bytes(m, d.p, d.bytes);
        call(d);
    }

    template <class Mechanism, class Call>
    void operator()(Mechanism& m, const burst_return& b, Call call) {
        bytes_in_use_ -= counted_bytes(m, b.blocks, b.bytes);
        call(b);
    }

    template <class Mechanism, class Call>
    void operator()(Mechanism& m, const mixed_return& b, Call call) {
        bytes_in_use_ -= counted_bytes(m, b.blocks, 0);
        call(b);
    }

    template <class Mechanism, class Call>
    std::size_t operator()(Mechanism& m, const shrinking& s, Call call) {
        const std::size_t old_bytes = counted_bytes(m, s.p, 0);
        const std::size_t new_bytes = call(s);
        bytes_in_use_ -= old_bytes - new_bytes;
        return new_bytes;
    }

    template <class Mechanism, class Call>
    void operator()(Mechanism&, ending e, Call call) {
        call(e);
        bytes_in_use_ = 0;
    }

    template <class Mechanism, class Call>
    auto operator()(Mechanism&, marking m, Call call) const {
        return std::pair{call(m), bytes_in_use()};
    }

    template <class Mechanism, class Position, class Call>
    void operator()(Mechanism&, const rolling_back<Position>& r, Call call) {
        call(rolling_back<decltype(r.to.first)>{r.to.first});
        bytes_in_use_ = core::min(bytes_in_use(), r.to.second);
    }

    /// Effects: moves the bytes of the other mechanism's blocks here, if it adopts them. A rollback to an earlier mark ends them.
    template <class Call>
    bool adopt(metered& other, Call call) noexcept {
        if (!call()) {
            return false;
        }
        if (this != &other) {
            bytes_in_use_ += other.bytes_in_use_;
            other.bytes_in_use_ = 0;
        }
        return true;
    }

protected:
    /// Returns: the bytes of a block, which the caller says has `bytes` bytes; none of null.
    template <class Mechanism>
    [[nodiscard]] static std::size_t counted_bytes(const Mechanism& m, const void* p,
                                                   std::size_t bytes) noexcept {
        if constexpr (expandable<Mechanism>) {
            return p != nullptr ? m.usable_bytes(p) : 0;
        } else {
            return bytes;
        }
    }

    template <class Mechanism>
    [[nodiscard]] static std::size_t counted_bytes(const Mechanism&, const sized_block& block,
                                                   std::size_t) noexcept {
        return block.bytes;
    }

    /// Returns: the bytes of all blocks of a chain.
    template <class Mechanism>
    [[nodiscard]] static std::size_t counted_bytes(const Mechanism& m, const block_chain& blocks,
                                                   std::size_t bytes) noexcept {
        if constexpr (expandable<Mechanism>) {
            std::size_t sum = 0;
            blocks.for_each([&](const void* p) { sum += m.usable_bytes(p); });
            return sum;
        } else {
            return blocks.size() * bytes;
        }
    }

    [[nodiscard]] static const void* block_address(const void* p) noexcept { return p; }
    [[nodiscard]] static const void* block_address(const sized_block& block) noexcept { return block.p; }

    /// Effects: counts the growth of a block that had `old_bytes` bytes.
    void follow(const expansion_result& done, std::size_t old_bytes) noexcept {
        bytes_in_use_ += done.method == expansion::fresh ? done.bytes : done.bytes - old_bytes;
    }

    tally<Shared> bytes_in_use_;
};

}} // namespace mallard::adapt::MALLARD_MODE
