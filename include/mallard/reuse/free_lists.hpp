/// Free blocks by size class: a list for each, found through a single pointer.
///
///     one class:         word_ -> the list of that class
///     several classes:   [ wide rooms | narrow rooms ][ class 0 | class 1 | ... | class n - 1 ]      a table of lists
///                                             word_ -> ^
///
/// Data model: the table lies in memory of the pool. It covers the classes below reach_, among them every class of which a
/// block was ever allocated: a pool calls serve() before the first one. So freeing needs no memory, finds its list, and has no
/// rare case. The rooms were set aside by a pool that merged its free blocks: memory from which new blocks are cut.
///
/// `Links` is the form of the only list (reuse/free_list.hpp), and `List` that of a list in a table. They differ, because
/// sizes that come in no order make each rare branch of a list unpredictable. A `List` has
///
///     pop()            a block; null if none is free
///     push(block)      makes the block free
///     takes_oldest     true if blocks freed first are taken first; may be missing otherwise
///
/// Zeros are an empty `List`, and its bytes may be moved.
///
/// pop(), push(), carve() and all that they call are inlined by force: in a large file the compiler gives up, and a
/// container's allocation becomes several calls.
///
/// Invariants: no list has a block of a class that serves() denies. Free blocks and the table are poisoned under
/// AddressSanitizer.
#pragma once

#include <mallard/core/alignment.hpp>
#include <mallard/core/build_mode.hpp>
#include <mallard/core/free_block.hpp>
#include <mallard/core/sanitizer.hpp>
#include <mallard/core/utility.hpp>
#include <mallard/reuse/empty_chunks.hpp>
#include <mallard/reuse/order.hpp>
#include <mallard/reuse/size_classes.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace mallard::reuse { inline namespace MALLARD_LIBRARY {

template <class Links, class List, size_class_policy Classes>
class free_lists : public carves_by_class<Classes> {
public:
    /// Returns: a block of class `index`, still poisoned; null if none is free.
    [[nodiscard, gnu::always_inline]] void* pop(std::size_t index) noexcept {
        const int wanted = static_cast<int>(index);
        if (wanted < reach_) [[likely]] {
            return core::known(table() + index)->pop();
        }
        return wanted == ~reach_ ? Links::pop(&word_, size_of_class(index)) : nullptr;
    }

    /// Effects: makes `p`, a block of class `index`, free and poisons it.
    /// Returns: false, with no effect, if serves(index) is false.
    [[nodiscard, gnu::always_inline]] bool push(void* p, std::size_t index) noexcept {
        auto* const block = static_cast<core::free_block*>(p);
        const int wanted = static_cast<int>(index);
        if (wanted < reach_) [[likely]] {
            core::known(table() + index)->push(block);
        } else if (wanted == ~reach_) [[likely]] {
            Links::push(&word_, block, size_of_class(index));
        } else {
            return false;
        }
        if constexpr (core::poisons_memory) {
            core::poison(p, Classes::bytes(index));
        }
        return true;
    }

    /// Returns: true if there is a list for class `index`.
    [[nodiscard, gnu::always_inline]] bool serves(std::size_t index) const noexcept {
        const int wanted = static_cast<int>(index);
        return wanted < reach_ || wanted == ~reach_;
    }

    /// Returns: the bytes that serve() needs for class `index`, a multiple of 16; 0 if it needs none.
    /// Requires: `index < classes`, and serves(index) is false.
    [[nodiscard]] std::size_t bytes_to_serve(std::size_t index, std::size_t classes) const noexcept {
        return reach_ == 0 && has_word_form
                   ? 0
                   : core::align_up(aside_bytes + size_to_serve(index, classes) * sizeof(List), 16);
    }

    /// Effects: makes serves(index) true. The former table becomes free blocks.
    /// Requires: `memory` lies at a multiple of 8, has as many bytes as bytes_to_serve() says, and has no other use until
    /// clear().
    /// Complexity: linear in the classes; from one class to two linear in the free blocks, which join a list of the other form.
    void serve(std::size_t index, std::size_t classes, std::byte* memory) noexcept {
        if (reach_ == 0 && has_word_form) {
            reach_ = static_cast<std::int16_t>(~static_cast<int>(index));
            return;
        }
        const std::size_t size = size_to_serve(index, classes);
        const std::size_t bytes = aside_bytes + size * sizeof(List);
        auto* const lists = reinterpret_cast<List*>(memory + aside_bytes);
        core::unpoison(memory, bytes);
        if (reach_ <= 0) {
            std::memset(memory, 0, bytes);
            if (reach_ < 0) {
                const auto only = static_cast<std::size_t>(~reach_);
                while (core::free_block* const block = Links::pop(&word_, size_of_class(only))) {
                    lists[only].push(block);
                }
            }
            use_table(lists, size);
        } else {
            std::byte* const former = reinterpret_cast<std::byte*>(table()) - aside_bytes;
            const std::size_t former_bytes = aside_bytes + static_cast<std::size_t>(reach_) * sizeof(List);
            core::unpoison(former, former_bytes);
            std::memcpy(memory, former, former_bytes);
            std::memset(memory + former_bytes, 0, bytes - former_bytes);
            use_table(lists, size);
            donate(former, former_bytes);
        }
        core::poison(memory, bytes);
    }

    /// Effects: makes free blocks of [p, p + bytes), as large as the table has lists for. What no list can use is lost until
    /// clear().
    /// Requires: no block covers that memory; `p` is a multiple of 8, and so is `bytes`.
    void donate(std::byte* p, std::size_t bytes) noexcept {
        while (reach_ > static_cast<int>(least_sorted) && bytes >= Classes::bytes(least_sorted)) {
            std::size_t index = core::min(Classes::within(bytes), static_cast<std::size_t>(reach_) - 1);
            const auto lies_wrong = [&] {
                return Classes::bytes(index) % 16 == 0 && !core::is_aligned(p, 16);
            };
            while (index != least_sorted && lies_wrong()) {
                --index;
            }
            if (lies_wrong()) { // the smallest block has 16 bytes
                p += 8;
                bytes -= 8;
                continue;
            }
            static_cast<void>(push(p, index));
            p += Classes::bytes(index);
            bytes -= Classes::bytes(index);
        }
    }

    /// Effects: makes free blocks of the cache line that carving left out. Without a list for it, it is lost until clear().
    [[gnu::noinline]] void donate_gap(std::byte* p) noexcept {
        constexpr std::size_t index = Classes::within(carves_by_class<Classes>::gap_bytes);
        if (static_cast<int>(index) < reach_) {
            donate(p, carves_by_class<Classes>::gap_bytes);
        }
    }

    /// Returns: the largest free block, poisoned and free no more, if it has at least `least_bytes` bytes; an empty room
    /// otherwise.
    /// Complexity: linear in the classes of such blocks.
    [[nodiscard]] std::span<std::byte> take_largest(std::size_t least_bytes) noexcept {
        for (int index = static_cast<int>(Classes::index(least_bytes, 8)); index < reach_; ++index) {
            if (void* const block = core::known(table() + index)->pop()) {
                return {static_cast<std::byte*>(block), Classes::bytes(static_cast<std::size_t>(index))};
            }
        }
        return {};
    }

    /// Effects: takes the free blocks from their lists, and calls take(block, bytes) for each; not those of 8 bytes if all have that
    /// size. Goes through several lists in turn, so that their next blocks come from memory at the same time.
    /// Complexity: linear in the blocks.
    template <class Take>
    void take_all(Take take) noexcept {
        std::array<std::size_t, lists_at_a_time> open{};
        std::size_t count = 0;
        for (std::size_t next = 0; count != 0 || static_cast<int>(next) < reach_;) {
            if (count != open.size() && static_cast<int>(next) < reach_) {
                open[count++] = next++;
                continue;
            }
            for (std::size_t i = 0; i != count;) {
                if (core::free_block* const block = core::known(table() + open[i])->pop()) {
                    take(block, Classes::bytes(open[i]));
                    ++i;
                } else {
                    open[i] = open[--count];
                }
            }
        }
        if (const std::size_t bytes = only_bytes(); bytes >= Classes::bytes(least_sorted)) {
            const auto only = static_cast<std::size_t>(~reach_);
            while (core::free_block* const block = Links::pop(&word_, size_of_class(only))) {
                take(block, bytes);
            }
        }
    }

    /// Effects: makes blocks of take_all() and rooms of take_aside() free, and leaves `blocks` empty. The last of them is the first
    /// that pop() returns, if the lists had none.
    /// Complexity: linear in the blocks.
    void put_back(block_run& blocks) noexcept {
        if (reach_ < 0 ? takes_oldest<Links> : takes_oldest<List>) {
            blocks.reverse();
        }
        while (core::free_block* const block = blocks.pop()) {
            const std::size_t bytes = block_run::bytes(block);
            if (reach_ < 0 || bytes < Classes::bytes(least_sorted)) {
                static_cast<void>(push(block, Classes::within(bytes)));
            } else {
                donate(reinterpret_cast<std::byte*>(block), bytes);
            }
        }
    }

    /// Returns: true if rooms can be set aside.
    [[nodiscard]] bool has_aside() const noexcept { return aside_bytes != 0 && reach_ > 0; }

    /// Returns: the rooms that are set aside, sorted by address; none is any more.
    /// Requires: has_aside().
    /// Complexity: linear in the rooms.
    [[nodiscard]] block_run take_aside() noexcept {
        block_run rooms(block_run::words::read(wide()));
        rooms.merge(block_run(block_run::words::read(narrow())));
        set_aside({}, {});
        return rooms;
    }

    /// Effects: sets free rooms of 16 bytes and more aside, for take_room(): wide ones first, and each kind in its order.
    /// Requires: has_aside(); both are sorted by address.
    void set_aside(block_run wide_rooms, block_run narrow_rooms) noexcept {
        block_run::words::write(wide(), wide_rooms.first());
        block_run::words::write(narrow(), narrow_rooms.first());
    }

    /// Returns: a room that was set aside, still poisoned, for a list or a block that needs `least_bytes` at a multiple of 16; an
    /// empty one if the next few are too short. Narrow ones that are too short become free blocks.
    /// Complexity: constant.
    [[nodiscard]] std::span<std::byte> take_room(std::size_t least_bytes) noexcept {
        if (!has_aside()) {
            return {};
        }
        const std::span<std::byte> room = take_room<false>(wide(), least_bytes);
        return room.empty() ? take_room<true>(narrow(), least_bytes) : room;
    }

    /// Returns: the size of the blocks if they all have one; 0 if there is a table, or no list.
    [[nodiscard]] std::size_t only_bytes() const noexcept {
        return reach_ < 0 ? Classes::bytes(static_cast<std::size_t>(~reach_)) : 0;
    }

    /// Effects: forgets all blocks and the table.
    void clear() noexcept {
        word_ = nullptr;
        reach_ = 0;
    }

private:
    /// The least class with blocks of 16 bytes, which hold a link and a size. Smaller ones are not made of what is left.
    static constexpr std::size_t least_sorted = Classes::bytes(0) < 16 ? 1 : 0;

    /// True if a list returns the blocks freed first before the others.
    template <class Order>
    static constexpr bool takes_oldest = requires { requires Order::takes_oldest; };

    /// The rest of a chunk becomes free blocks only if there is a table.
    static constexpr bool has_word_form = !gives_chunks_back<Classes>;

    /// The size of the blocks of a class, which is computed when it is needed.
    class size_of_class {
    public:
        using links = core::links<true>; // blocks lie at multiples of 8

        explicit constexpr size_of_class(std::size_t index) noexcept : index_(index) {}
        [[nodiscard, gnu::always_inline]] constexpr std::size_t bytes() const noexcept {
            return Classes::bytes(index_);
        }
        [[nodiscard, gnu::always_inline]] constexpr bool is(std::size_t bytes) const noexcept {
            return index_ == Classes::index(bytes, sizeof(void*));
        }
        [[nodiscard, gnu::always_inline]] constexpr bool holds(std::size_t bytes) const noexcept {
            return index_ >= Classes::index(bytes, sizeof(void*));
        }

    private:
        std::size_t index_;
    };

    /// Pools that give chunks back by themselves keep rooms as free blocks.
    static constexpr std::size_t aside_bytes = gives_chunks_back<Classes> ? 0 : 2 * sizeof(core::free_block*);
    static constexpr unsigned most_tried_rooms = 32;
    static constexpr std::size_t lists_at_a_time = 8;

    [[nodiscard]] core::free_block** wide() const noexcept {
        return reinterpret_cast<core::free_block**>(word_) - 2;
    }
    [[nodiscard]] core::free_block** narrow() const noexcept { return wide() + 1; }

    /// Returns: one of the next few rooms of a list, which begins at `place`; an empty one if they are too short. `Donates` is true
    /// if those become free blocks.
    template <bool Donates>
    [[nodiscard]] std::span<std::byte> take_room(core::free_block** place, std::size_t least_bytes) noexcept {
        for (unsigned tried = 0; tried != most_tried_rooms; ++tried) {
            core::free_block* const room = block_run::words::read(place);
            if (room == nullptr) {
                break;
            }
            auto* const begin = reinterpret_cast<std::byte*>(room);
            const std::size_t bytes = block_run::bytes(room);
            const bool fits = bytes >= least_bytes + core::padding_to(begin, 16);
            if (fits || Donates) {
                block_run::words::write(place, block_run::next(room));
            } else {
                place = reinterpret_cast<core::free_block**>(room);
            }
            if (fits) {
                return {begin, bytes};
            }
            if constexpr (Donates) {
                donate(begin, bytes);
            }
        }
        return {};
    }

    [[nodiscard, gnu::always_inline]] List* table() const noexcept { return reinterpret_cast<List*>(word_); }

    /// Returns: the number of lists in a table that has one for class `index`. Tables grow by steps of 8, and at least fourfold:
    /// classes that come one by one do not move the table each time.
    [[nodiscard]] std::size_t size_to_serve(std::size_t index, std::size_t classes) const noexcept {
        const auto least = core::max(index, static_cast<std::size_t>(reach_ < 0 ? ~reach_ : 0)) + 1;
        const auto grown = static_cast<std::size_t>(reach_ > 0 ? 4 * reach_ : 0);
        return core::min(core::align_up(core::max(least, grown), 8), classes);
    }

    void use_table(List* lists, std::size_t size) noexcept {
        word_ = reinterpret_cast<core::free_block*>(lists);
        reach_ = static_cast<std::int16_t>(size);
    }

    core::free_block* word_ = nullptr;
    std::int16_t reach_ = 0; ///< the lists of a table; ~index of the only class; 0: there is none
};

}} // namespace mallard::reuse::MALLARD_LIBRARY
