/// The blocks that are alive, by address.
///
///     places:  [ tag, slot ] [ empty ] [ tag, slot ] ...     8 bytes each, found by a hash of the address
///     slots:   [ block ] [ block ] [ free ] ...              44 bytes each, in pieces that stay where they are
///
/// Data model: open addressing with linear probing over the places, whose number is a power of two. The tag is the upper half of
/// the hash, so the table grows without a look at the blocks. Programs that keep ten million blocks are usual: the blocks are
/// packed, and no vector of them is ever copied.
/// Invariants: at most three quarters of the places are taken; no place between a block and its first choice is empty; each
/// slot is a block of one place, or in the list of free slots.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace mallard::advisor {

struct live_block {
    std::uint64_t address = 0;
    std::uint64_t bytes = 0;
    std::uint64_t number = 0; ///< of the event that allocated it
    std::uint64_t ticks = 0;  ///< since the beginning of the process
    std::uint64_t clock = 0;  ///< bytes that the process had allocated before
    std::uint32_t call = 0;   ///< in the table of calls
    std::uint32_t marked = 0; ///< in the table of marked calls
    std::uint32_t thread = 0; ///< less than 2^31
    bool has_complete_stack = false;

    friend bool operator==(const live_block&, const live_block&) = default;
};

/// A block in 44 bytes. Figures that no process reaches become the largest ones that there is room for: 2^48 - 1 bytes, 2^52 - 1
/// ticks (two weeks), 2^44 - 1 events.
class packed_block {
public:
    packed_block() = default;
    explicit packed_block(const live_block& block) noexcept
        : address_(halves(block.address)),
          bytes_and_number_(halves(joined<48>(block.bytes, number_of(block)))),
          clock_and_number_(halves(joined<48>(block.clock, number_of(block) >> 16))),
          ticks_and_number_(halves(joined<52>(block.ticks, number_of(block) >> 32))), call_(block.call),
          marked_(block.marked), thread_(block.thread << 1 | std::uint32_t{block.has_complete_stack}) {}

    [[nodiscard]] std::uint64_t address() const noexcept { return whole(address_); }
    [[nodiscard]] live_block unpacked() const noexcept {
        const std::uint64_t bytes = whole(bytes_and_number_), clock = whole(clock_and_number_),
                            ticks = whole(ticks_and_number_);
        return {.address = address(),
                .bytes = bytes & most<48>,
                .number = bytes >> 48 | clock >> 48 << 16 | ticks >> 52 << 32,
                .ticks = ticks & most<52>,
                .clock = clock & most<48>,
                .call = call_,
                .marked = marked_,
                .thread = thread_ >> 1,
                .has_complete_stack = (thread_ & 1) != 0};
    }

private:
    using halves_of_word = std::array<std::uint32_t, 2>; ///< so that a block has no padding

    template <unsigned Bits>
    static constexpr std::uint64_t most = (std::uint64_t{1} << Bits) - 1;

    static constexpr halves_of_word halves(std::uint64_t word) noexcept {
        return std::bit_cast<halves_of_word>(word);
    }
    static constexpr std::uint64_t whole(halves_of_word word) noexcept {
        return std::bit_cast<std::uint64_t>(word);
    }
    /// Returns: the figure in the lower bits, and in the others the part of the number that has room there.
    template <unsigned Bits>
    static constexpr std::uint64_t joined(std::uint64_t figure, std::uint64_t number) noexcept {
        return std::min(figure, most<Bits>) | number << Bits;
    }
    static constexpr std::uint64_t number_of(const live_block& block) noexcept {
        return std::min(block.number, most<44>);
    }

    halves_of_word address_{};
    halves_of_word bytes_and_number_{}; ///< 48 and the lowest 16 bits
    halves_of_word clock_and_number_{}; ///< 48 and the next 16 bits
    halves_of_word ticks_and_number_{}; ///< 52 and the last 12 bits
    std::uint32_t call_ = 0;
    std::uint32_t marked_ = 0;
    std::uint32_t thread_ = 0; ///< and the stack's completeness in the lowest bit
};
static_assert(sizeof(packed_block) == 44);

class block_table {
public:
    block_table() : places_(first_places) {}

    [[nodiscard]] std::size_t size() const noexcept { return size_; }

    /// Effects: brings the place of the address near, for a call that comes later.
    void prefetch_place(std::uint64_t address) const noexcept {
        __builtin_prefetch(&places_[first_choice(tag_of(address))]);
    }
    /// Effects: brings the block near, if there probably is one. Its place should be near by now.
    void prefetch_block(std::uint64_t address) const noexcept {
        const std::uint32_t tag = tag_of(address);
        if (const place& first = places_[first_choice(tag)]; first.tag == tag && first.slot != 0) {
            __builtin_prefetch(&at(first.slot));
        }
    }

    [[nodiscard]] bool contains(std::uint64_t address) const noexcept {
        return places_[place_of(address)].slot != 0;
    }

    /// Effects: removes the block at that address.
    /// Returns: the block; nothing if there is none.
    [[nodiscard]] std::optional<live_block> take(std::uint64_t address) {
        const std::size_t found = place_of(address);
        const std::uint32_t slot = places_[found].slot;
        if (slot == 0) {
            return std::nullopt;
        }
        const live_block block = at(slot).unpacked();
        erase(found);
        free_slots_.push_back(slot);
        --size_;
        return block;
    }

    /// Requires: no block of the table has the address.
    void insert(const live_block& block) {
        if ((size_ + 1) * 4 > places_.size() * 3) {
            grow();
        }
        const std::uint32_t slot = take_slot();
        at(slot) = packed_block(block);
        put({tag_of(block.address), slot});
        ++size_;
    }

    /// Effects: calls `function` with each block, in no order.
    template <typename Function>
    void for_each(Function&& function) const {
        for (const place& each : places_) {
            if (each.slot != 0) {
                function(at(each.slot).unpacked());
            }
        }
    }

private:
    struct place {
        std::uint32_t tag = 0;
        std::uint32_t slot = 0; ///< from 1 on; 0 if the place is empty
    };
    static constexpr std::size_t first_places = std::size_t{1} << 12;
    static constexpr unsigned piece_bits = 14;
    static constexpr std::uint32_t piece_slots = std::uint32_t{1} << piece_bits;

    static std::uint32_t tag_of(std::uint64_t address) noexcept {
        return static_cast<std::uint32_t>((address >> 3) * 0x9e3779b97f4a7c15U >> 32);
    }
    [[nodiscard]] std::size_t first_choice(std::uint32_t tag) const noexcept {
        return static_cast<std::size_t>(std::uint64_t{tag} * places_.size() >> 32);
    }
    [[nodiscard]] std::size_t after(std::size_t which) const noexcept {
        return (which + 1) & (places_.size() - 1);
    }

    [[nodiscard]] packed_block& at(std::uint32_t slot) const noexcept {
        return pieces_[slot >> piece_bits][slot & (piece_slots - 1)];
    }

    /// Returns: the place of the block at that address; an empty one if there is none.
    [[nodiscard]] std::size_t place_of(std::uint64_t address) const noexcept {
        const std::uint32_t tag = tag_of(address);
        std::size_t which = first_choice(tag);
        while (places_[which].slot != 0 &&
               (places_[which].tag != tag || at(places_[which].slot).address() != address)) {
            which = after(which);
        }
        return which;
    }

    void put(place which) noexcept {
        std::size_t to = first_choice(which.tag);
        while (places_[to].slot != 0) {
            to = after(to);
        }
        places_[to] = which;
    }

    /// Effects: places behind the hole that would be out of reach move into it.
    void erase(std::size_t hole) noexcept {
        const std::size_t mask = places_.size() - 1;
        for (std::size_t each = after(hole); places_[each].slot != 0; each = after(each)) {
            const std::size_t choice = first_choice(places_[each].tag);
            if (((each - choice) & mask) >= ((each - hole) & mask)) {
                places_[hole] = places_[each];
                hole = each;
            }
        }
        places_[hole] = {};
    }

    void grow() {
        std::vector<place> old(places_.size() * 2);
        old.swap(places_);
        for (const place& each : old) {
            if (each.slot != 0) {
                put(each);
            }
        }
    }

    std::uint32_t take_slot() {
        if (!free_slots_.empty()) {
            const std::uint32_t slot = free_slots_.back();
            free_slots_.pop_back();
            return slot;
        }
        if (next_slot_ >> piece_bits == pieces_.size()) {
            pieces_.push_back(std::make_unique_for_overwrite<packed_block[]>(piece_slots));
        }
        return next_slot_++;
    }

    std::vector<place> places_;
    std::vector<std::unique_ptr<packed_block[]>> pieces_;
    std::vector<std::uint32_t> free_slots_; ///< the one that became free last comes first
    std::uint32_t next_slot_ = 1;
    std::size_t size_ = 0;
};

} // namespace mallard::advisor
