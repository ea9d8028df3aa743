/// The order of reuse "first freed first": an unrolled queue for blocks of one size, and queues of links for blocks of several.
///
/// In an unrolled queue a few free blocks hold the addresses of the others:
///
///     list -> head  [ read | write | end | ............. ]      the block freed first
///     first page    [ a | b | c | d | ........... | link ]      the second; read: the next address to take
///                                                    |
///     last page     [ e | f | .   .   .   .              ] <----+   write: the place of the next address
///                                                    ^ end
///     a, b, c, ...  blocks freed after their page, never touched
///
/// A list is slow not by its order, but by its chain: each allocation waits for a link in a block that left the
/// cache long ago. Here it reads addresses side by side, and most deallocations touch no free block at all.
/// A structure whose elements leave in the order of their addresses, such as a queue, gets its blocks in that order
/// again, however long it lives.
///
/// Data model: the list is null if no block is free. It leads to the block if one is, which is not touched, and to
/// the head if there are more, with the lowest bit set. A page lists as many blocks as it has words but one, at
/// most 63. When it is full, the next block becomes a page, and the last word leads to it, with the lowest bit set.
/// When all that the first page lists is taken, the next page comes: its words move to the first page. So blocks are
/// taken in the order in which they were freed, but for the head and the first page, which are taken last.
///
/// The head of blocks of 16 bytes, which lie at multiples of 16, has no `end`. Smaller blocks, and others below 24
/// bytes, are reused last freed first: each leads to the one freed before it, with the bit that the list had.
///
/// Invariants: there is a head only if there is a page. `read == write` if all that is listed was taken. All words
/// lie in poisoned memory under AddressSanitizer.
/// Complexity: constant on average.
///
/// An unrolled queue wins where a pool has one size, and loses where sizes come in no order: the processor does not foresee
/// which list ends a page. So a pool of several sizes has a queue of links for each (linked_queue), which takes and frees without
/// a branch, but for the empty queue. The link of the block that comes next may have left the cache, so it is fetched ahead.
/// The default order has stacks there, and small programs take less time with it (reuse/hybrid_order.hpp).
#pragma once

#include <mallard/core/alignment.hpp>
#include <mallard/core/build_mode.hpp>
#include <mallard/core/free_block.hpp>
#include <mallard/core/utility.hpp>
#include <mallard/reuse/free_list.hpp>
#include <mallard/reuse/free_lists.hpp>

#include <cstddef>
#include <cstdint>

namespace mallard::reuse { inline namespace MALLARD_LIBRARY {

struct first_freed_links {
    static constexpr bool takes_oldest = true;

    template <class Size>
    [[gnu::always_inline]] static core::free_block* pop(core::free_block** list, Size size) noexcept {
        core::free_block* const first = place::read(list);
        if (!is_tagged(first)) [[likely]] {
            if (first != nullptr) [[likely]] {
                place::write(list, nullptr);
            }
            return first;
        }
        core::free_block* const head = without_tag(first);
        if (!has_pages(size)) [[unlikely]] {
            place::write(list, Size::links::read(head));
            return core::known(head);
        }
        const std::uintptr_t read = word<Size>(head, read_word);
        if (read == word<Size>(head, write_word)) [[unlikely]] {
            place::write(list, head);
            return core::known(at(end_word_value(head, read, size) - link_at(size)));
        }
        core::free_block* const block = at(word<Size>(at(read)));
        if (is_tagged(block)) [[unlikely]] {
            return core::known(pop_page(head, read, without_tag(block), size));
        }
        set_word<Size>(head, read_word, read + word_bytes);
        return core::known(block);
    }

    template <class Size>
    [[gnu::always_inline]] static void push(core::free_block** list, core::free_block* block,
                                            Size size) noexcept {
        core::free_block* const first = place::read(list);
        if (first == nullptr) {
            place::write(list, block);
            return;
        }
        if (!has_pages(size)) [[unlikely]] {
            Size::links::write(block, first);
            place::write(list, with_tag(block));
            return;
        }
        if (!is_tagged(first)) [[unlikely]] {
            place::write(list, with_tag(first));
            set_word<Size>(first, read_word, to_address(block));
            set_last_page(first, block, size);
            return;
        }
        core::free_block* const head = without_tag(first);
        const std::uintptr_t write = word<Size>(head, write_word);
        if (write == end_word_value(head, write, size)) [[unlikely]] {
            Size::links::write(at(write), with_tag(block));
            set_last_page(head, block, size);
            return;
        }
        Size::links::write(at(write), block);
        set_word<Size>(head, write_word, write + word_bytes);
    }

private:
    using place = core::links<true>; // of the list itself

    static constexpr std::size_t word_bytes = sizeof(std::uintptr_t);
    static constexpr std::size_t read_word = 0;
    static constexpr std::size_t write_word = 1;
    static constexpr std::size_t end_word = 2;
    static constexpr std::size_t most_page_bytes = 512;

    template <class Size>
    [[gnu::always_inline]] static constexpr bool has_pages(Size size) noexcept {
        return size.holds(3 * word_bytes) || size.is(2 * word_bytes);
    }

    [[gnu::always_inline]] static bool is_tagged(const core::free_block* p) noexcept {
        return (to_address(p) & 1) != 0;
    }
    [[gnu::always_inline]] static core::free_block* with_tag(core::free_block* p) noexcept {
        return at(to_address(p) + 1);
    }
    [[gnu::always_inline]] static core::free_block* without_tag(core::free_block* p) noexcept {
        return at(to_address(p) - 1);
    }

    [[gnu::always_inline]] static std::uintptr_t to_address(const core::free_block* p) noexcept {
        return reinterpret_cast<std::uintptr_t>(p);
    }
    [[gnu::always_inline]] static core::free_block* at(std::uintptr_t address) noexcept {
        return reinterpret_cast<core::free_block*>(address);
    }
    template <class Size>
    [[gnu::always_inline]] static std::uintptr_t word(core::free_block* block,
                                                      std::size_t number = 0) noexcept {
        return to_address(Size::links::read(block + number));
    }
    template <class Size>
    [[gnu::always_inline]] static void set_word(core::free_block* block, std::size_t number,
                                                std::uintptr_t value) noexcept {
        Size::links::write(block + number, at(value));
    }

    /// Returns: the distance of the link from the front of a page.
    template <class Size>
    [[gnu::always_inline]] static std::size_t link_at(Size size) noexcept {
        return core::min(core::align_down(size.bytes(), word_bytes), most_page_bytes) - word_bytes;
    }

    /// Returns: the place of the last page's link.
    template <class Size>
    [[gnu::always_inline]] static std::uintptr_t end_word_value(core::free_block* head, std::uintptr_t write,
                                                                Size size) noexcept {
        return size.holds(3 * word_bytes) ? word<Size>(head, end_word)
                                          : core::align_down(write, 2 * word_bytes) + word_bytes;
    }

    /// Effects: makes `page` the last one, without an address.
    template <class Size>
    [[gnu::always_inline]] static void set_last_page(core::free_block* head, core::free_block* page,
                                                     Size size) noexcept {
        set_word<Size>(head, write_word, to_address(page));
        if (size.holds(3 * word_bytes)) {
            set_word<Size>(head, end_word, to_address(page) + link_at(size));
        }
    }

    /// Effects: moves the words of the page `next` to the first page, which ends at `link`, and prefetches the page
    /// behind it.
    /// Returns: `next`.
    template <class Size>
    [[gnu::noinline]] static core::free_block* pop_page(core::free_block* head, std::uintptr_t link,
                                                        core::free_block* next, Size size) noexcept {
        core::free_block* const first = at(link - link_at(size));
        const std::uintptr_t write = word<Size>(head, write_word);
        set_word<Size>(head, read_word, to_address(first));
        std::size_t words = link_at(size) / word_bytes + 1;
        if (to_address(next) + link_at(size) == end_word_value(head, write, size)) {
            words = (write - to_address(next)) / word_bytes;
            set_last_page(head, first, size);
            set_word<Size>(head, write_word, to_address(first) + words * word_bytes);
        } else {
            MALLARD_PREFETCH(at(word<Size>(next, words - 1)));
        }
        for (std::size_t i = 0; i != words; ++i) {
            set_word<Size>(first, i, word<Size>(next, i));
        }
        return next;
    }
};

/// A queue of links, in two words.
///
///     [ first | last ]     first -> block -> block -> ... -> last block, which leads to itself
///
/// Invariants: `last` is null while the queue is empty, and `first` has no meaning then; so zeros are an empty queue, and a
/// queue may be moved as bytes. A block that is alone leads to itself, so that pop() reads a link that push() wrote as a whole,
/// and not what the user left in the block.
class linked_queue {
public:
    static constexpr bool takes_oldest = true;

    [[nodiscard, gnu::always_inline]] core::free_block* pop() noexcept {
        core::free_block* const last = link::read(&last_);
        if (last == nullptr) [[unlikely]] {
            return nullptr;
        }
        core::free_block* const block = core::known(link::read(&first_));
        core::free_block* next = link::read(block);
        core::free_block* remaining = last == block ? nullptr : last;
        // Both in registers, so that the compiler chooses a value and not a way.
        MALLARD_KEEP("+r"(next), "+r"(remaining));
        MALLARD_PREFETCH(next, 1);
        link::write(&first_, next);
        MALLARD_KEEP("+m"(first_)); // two stores: for one, both words would have to be put together first
        link::write(&last_, remaining);
        return block;
    }

    [[gnu::always_inline]] void push(core::free_block* block) noexcept {
        core::free_block* const last = link::read(&last_);
        core::free_block* place = last != nullptr ? last : reinterpret_cast<core::free_block*>(&first_);
        MALLARD_KEEP("+r"(place)); // a value and not a way
        link::write(block, block);
        link::write(place, block);
        link::write(&last_, block);
    }

private:
    using link = core::links<true>; // blocks and tables lie at multiples of 8

    core::free_block* first_;
    core::free_block* last_;
};

}} // namespace mallard::reuse::MALLARD_LIBRARY

namespace mallard { inline namespace MALLARD_LIBRARY {

struct first_freed {
    template <size_class_policy Classes>
    using by_class = reuse::free_lists<reuse::first_freed_links, reuse::linked_queue, Classes>;
    using of_one_size = reuse::free_list<reuse::first_freed_links>;
    template <std::size_t Bytes>
    using of_static_size = reuse::free_list<reuse::first_freed_links, reuse::static_size<Bytes>>;
};

static_assert(reuse_order<first_freed>);

}} // namespace mallard::MALLARD_LIBRARY
