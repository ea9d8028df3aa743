/// A block_chain with the names and iterators of Boost.Container's node containers.
///
///     root_ -> block -> block -> ... -> null
///     ^ before_begin()          ^ last_          size_ of them
///
/// Data model: a list through the blocks' first words, as core/block_chain.hpp, and a root in front of it on
/// which an iterator can stand. An iterator is the address of a link; it refers to the T that will be or was
/// constructed in the block. It stays valid after the chain was emptied, until the links are overwritten:
/// containers walk through blocks in this way while they make nodes of them. The owner of the chain owns the
/// blocks. The destructor does not free them.
/// Invariants: if the chain is empty, root_ leads to nothing and last_ is null. The link of the last block is
/// null.
///
/// Source: Gaztañaga, "Applying classic memory allocation strategies to C++ containers", chapter 2
/// (multiallocation_chain); the functions are those of Boost's own.
#pragma once

#include <mallard/core/block_chain.hpp>
#include <mallard/core/build_mode.hpp>
#include <mallard/core/free_block.hpp>

#include <cstddef>
#include <iterator>
#include <utility>

namespace mallard { inline namespace MALLARD_MODE {

template <class T>
class multiallocation_chain {
public:
    using void_pointer = void*;
    using pointer = T*;
    using pointer_pair = std::pair<pointer, pointer>; ///< since Boost 1.76
    using size_type = std::size_t;

    class iterator {
    public:
        using iterator_category = std::forward_iterator_tag;
        using value_type = T;
        using difference_type = std::ptrdiff_t;
        using pointer = T*;
        using reference = T&;

        iterator() = default;

        /// Returns: the place of a T, which need not exist yet: containers ask for its address only, at the end
        /// too.
        [[nodiscard]] __attribute__((no_sanitize("undefined"))) reference operator*() const noexcept {
            return *operator->();
        }
        [[nodiscard]] pointer operator->() const noexcept { return static_cast<T*>(at_); }

        iterator& operator++() noexcept {
            at_ = block()->next;
            return *this;
        }

        iterator operator++(int) noexcept {
            const iterator previous = *this;
            ++*this;
            return previous;
        }

        [[nodiscard]] friend bool operator==(iterator a, iterator b) noexcept { return a.at_ == b.at_; }

    private:
        friend class multiallocation_chain;
        explicit iterator(core::free_block* at) noexcept : at_(at) {}

        [[nodiscard]] core::free_block* block() const noexcept { return static_cast<core::free_block*>(at_); }

        void* at_ = nullptr;
    };

    multiallocation_chain() = default;

    /// Effects: takes over `size` blocks, each of which but the last leads to the next.
    multiallocation_chain(void* first, void* last, size_type size) noexcept {
        incorporate_after(before_begin(), first, last, size);
    }

    /// Effects: takes over the blocks of `blocks`, which is empty afterwards.
    explicit multiallocation_chain(block_chain&& blocks) noexcept { append(std::move(blocks)); }

    multiallocation_chain(multiallocation_chain&& other) noexcept
        : root_(std::exchange(other.root_, core::free_block{nullptr})),
          last_(std::exchange(other.last_, nullptr)), size_(std::exchange(other.size_, 0U)) {}

    /// Effects: takes over the blocks of `blocks`, which is empty afterwards. The blocks of this chain are lost.
    multiallocation_chain& operator=(multiallocation_chain&& other) noexcept {
        multiallocation_chain taken(std::move(other));
        swap(taken);
        return *this;
    }

    ~multiallocation_chain() = default;

    [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
    [[nodiscard]] size_type size() const noexcept { return size_; }

    [[nodiscard]] iterator before_begin() noexcept { return iterator(&root_); }
    [[nodiscard]] iterator begin() noexcept { return iterator(root_.next); }
    [[nodiscard]] iterator end() noexcept { return iterator(); }

    /// Returns: the place of the last block; before_begin() if the chain is empty.
    [[nodiscard]] iterator last() noexcept { return last_ != nullptr ? iterator(last_) : before_begin(); }

    /// Requires: `p` is a block of a chain.
    [[nodiscard]] static iterator iterator_to(const void* p) noexcept {
        return iterator(to_block(const_cast<void*>(p)));
    }

    /// Effects: forgets the blocks. Their links stay as they are.
    void clear() noexcept {
        root_.next = nullptr;
        last_ = nullptr;
        size_ = 0;
    }

    /// Effects: inserts `p` behind `position`.
    /// Requires: `p` is usable and has room for a pointer; `position` is in this chain, or before_begin().
    /// Returns: its place.
    iterator insert_after(iterator position, void* p) noexcept {
        link_behind(position.block(), to_block(p), to_block(p), 1);
        return iterator_to(p);
    }

    void push_front(void* p) noexcept { insert_after(before_begin(), p); }
    void push_back(void* p) noexcept { insert_after(last(), p); }

    /// Effects: removes the first block.
    /// Requires: the chain is not empty.
    pointer pop_front() noexcept {
        core::free_block* const block = root_.next;
        if (--size_ == 0) {
            clear();
        } else {
            root_.next = block->next;
        }
        return iterator(block).operator->();
    }

    /// Effects: moves `n` blocks of `other` behind `position`: the blocks behind `predecessor`, up to `to`.
    /// Requires: `other` is another chain; `predecessor` and `to` are in it, and `position` is in this chain.
    /// Complexity: constant.
    void splice_after(iterator position, multiallocation_chain& other, iterator predecessor, iterator to,
                      size_type n) noexcept {
        if (n == 0) {
            return;
        }
        core::free_block* const ahead = predecessor.block();
        core::free_block* const first = ahead->next;
        if (to.at_ == other.last_) {
            other.last_ = ahead == &other.root_ ? nullptr : ahead;
            ahead->next = nullptr;
        } else {
            ahead->next = to.block()->next;
        }
        other.size_ -= n;
        link_behind(position.block(), first, to.block(), n);
    }

    /// Effects: moves all blocks of `other` behind `position`.
    /// Complexity: constant.
    void splice_after(iterator position, multiallocation_chain& other) noexcept {
        splice_after(position, other, other.before_begin(), other.last(), other.size());
    }

    /// Effects: forgets the `n` blocks between `predecessor` and `to`.
    void erase_after(iterator predecessor, iterator to, size_type n) noexcept {
        core::free_block* const ahead = predecessor.block();
        ahead->next = to.block();
        if (to.at_ == nullptr) {
            last_ = ahead == &root_ ? nullptr : ahead;
        }
        size_ -= n;
    }

    /// Effects: inserts `size` blocks behind `position`, each of which but the last leads to the next.
    /// Complexity: constant.
    void incorporate_after(iterator position, void* first, void* last, size_type size) noexcept {
        if (size != 0) {
            link_behind(position.block(), to_block(first), to_block(last), size);
        }
    }

    void swap(multiallocation_chain& other) noexcept {
        std::swap(root_, other.root_);
        std::swap(last_, other.last_);
        std::swap(size_, other.size_);
    }

    /// Effects: empties the chain.
    /// Returns: its first and its last block, or two nulls; each leads to the next.
    [[nodiscard]] pointer_pair extract_data() noexcept {
        const pointer_pair ends(iterator(root_.next).operator->(), iterator(last_).operator->());
        clear();
        return ends;
    }

    /// Effects: appends the blocks of `blocks` to this chain; `blocks` is empty afterwards.
    void append(block_chain&& blocks) noexcept {
        if (!blocks.empty()) {
            incorporate_after(last(), blocks.front(), blocks.back(), blocks.size());
            blocks = {};
        }
    }

    /// Effects: empties the chain.
    /// Returns: its blocks, in their order.
    [[nodiscard]] block_chain take() noexcept {
        if (empty()) {
            return {};
        }
        block_chain blocks(root_.next, last_, size_);
        clear();
        return blocks;
    }

private:
    static core::free_block* to_block(void* p) noexcept { return static_cast<core::free_block*>(p); }

    void link_behind(core::free_block* position, core::free_block* first, core::free_block* last,
                     size_type size) noexcept {
        last->next = position->next;
        position->next = first;
        if (last->next == nullptr) {
            last_ = last;
        }
        size_ += size;
    }

    core::free_block root_{nullptr};
    core::free_block* last_ = nullptr;
    size_type size_ = 0;
};

}} // namespace mallard::MALLARD_MODE
