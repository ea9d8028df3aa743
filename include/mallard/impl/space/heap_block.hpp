/// A block of a heap as it lies in memory, and the links of free blocks.
///
///     in use:   [ tag ][ the caller's ................. ]
///     free:     [ tag ][ next | previous | ..... | bytes ]
///               ^ begin() ^ payload()                     ^ next()
///
/// Data model: the tag holds the bytes of the block, the tag included, a multiple of the granule, and three
/// flags. A free block has its bytes again in its last word, so that the block behind it finds its begin
/// (boundary tags, Knuth, The Art of Computer Programming, volume 1, section 2.5). That word belongs to the
/// caller as long as the block is in use: the overhead of a block is one word.
/// Invariants: a block has at least 32 bytes, for its four words; the payload is at a multiple of the granule.
/// Tags and links lie in poisoned memory.
#pragma once

#include <mallard/core/alignment.hpp>
#include <mallard/core/build_mode.hpp>
#include <mallard/core/failure.hpp>
#include <mallard/core/sanitizer.hpp>

#include <cstddef>
#include <cstdint>

namespace mallard::space { inline namespace MALLARD_LIBRARY {

/// Returns: the word at `at`, which may lie in poisoned memory.
MALLARD_READS_POISONED [[nodiscard]] inline std::size_t read_word(const std::byte* at) noexcept {
    const core::poisoned_access access;
    return *reinterpret_cast<const std::size_t*>(at);
}

/// Effects: writes the word at `at`, which may lie in poisoned memory.
MALLARD_READS_POISONED inline void write_word(std::byte* at, std::size_t word) noexcept {
    const core::poisoned_access access;
    *reinterpret_cast<std::size_t*>(at) = word;
}

/// A pointer to a block, or null.
class heap_block {
public:
    static constexpr std::size_t tag_bytes = sizeof(std::size_t);
    static constexpr std::size_t least_bytes = 4 * tag_bytes;
    static constexpr std::size_t granule_bytes = fundamental_alignment; ///< the unit of sizes and addresses

    static constexpr std::size_t in_use = 1;
    static constexpr std::size_t previous_in_use = 2; ///< or there is none, or it is in no list
    static constexpr std::size_t reserved = 4;        ///< lies alone in a reserved range
    static constexpr std::size_t quick = 8;           ///< freed and not merged yet; `in_use` is set too
    static constexpr std::size_t flags = 15;
    static constexpr std::size_t not_to_wait =
        reserved | quick; ///< a freed block of these does not wait in a list

    constexpr heap_block() = default;
    explicit constexpr heap_block(std::byte* begin) noexcept : begin_(begin) {}

    /// Returns: the block whose payload begins at `p`.
    [[nodiscard]] static heap_block holding(const void* p) noexcept {
        return heap_block(static_cast<std::byte*>(const_cast<void*>(p)) - tag_bytes);
    }

    explicit constexpr operator bool() const noexcept { return begin_ != nullptr; }
    friend constexpr bool operator==(heap_block, heap_block) = default;

    [[nodiscard]] std::byte* begin() const noexcept { return begin_; }
    [[nodiscard]] std::byte* payload() const noexcept { return begin_ + tag_bytes; }

    [[nodiscard]] std::size_t tag() const noexcept { return read_word(begin_); }
    [[nodiscard]] std::size_t bytes() const noexcept { return tag() & ~flags; }
    [[nodiscard]] std::size_t payload_bytes() const noexcept { return bytes() - tag_bytes; }
    [[nodiscard]] bool is(std::size_t flag) const noexcept { return (tag() & flag) != 0; }

    /// Effects: ends the program, with a message, if the block is free.
    void expect_in_use() const noexcept {
        if (!is(in_use)) [[unlikely]] {
            core::fail_damaged_free_memory(payload());
        }
    }

    void set_tag(std::size_t word) const noexcept { write_word(begin_, word); }
    void set_bytes(std::size_t bytes) const noexcept { set_tag(bytes | (tag() & flags)); }
    void set(std::size_t flag) const noexcept { set_tag(tag() | flag); }
    void clear(std::size_t flag) const noexcept { set_tag(tag() & ~flag); }

    /// Returns: the end of a block of `bytes` bytes, which is the begin of the next one.
    [[nodiscard]] heap_block behind(std::size_t bytes) const noexcept { return heap_block(begin_ + bytes); }
    [[nodiscard]] heap_block next() const noexcept { return behind(bytes()); }

    /// Returns: the bytes of the block in front.
    /// Requires: that block is free.
    [[nodiscard]] std::size_t bytes_in_front() const noexcept { return read_word(begin_ - tag_bytes); }
    [[nodiscard]] heap_block previous() const noexcept { return heap_block(begin_ - bytes_in_front()); }

    /// Effects: makes this a free block of `bytes` bytes between neighbours in use. The caller updates the next
    /// tag.
    void make_free(std::size_t bytes) const noexcept {
        set_tag(bytes | previous_in_use);
        write_word(begin_ + bytes - tag_bytes, bytes);
    }

    /// The places of the links of a free block.
    [[nodiscard]] std::byte* next_link() const noexcept { return begin_ + tag_bytes; }
    [[nodiscard]] std::byte* previous_link() const noexcept { return begin_ + 2 * tag_bytes; }

private:
    std::byte* begin_ = nullptr;
};

/// Links that are addresses.
struct absolute_links {
    [[nodiscard]] static heap_block load(const std::byte* at) noexcept {
        return heap_block(reinterpret_cast<std::byte*>(read_word(at)));
    }
    static void store(std::byte* at, heap_block to) noexcept {
        write_word(at, reinterpret_cast<std::size_t>(to.begin()));
    }
};

/// Links that are distances from their own place, so that each process may map the memory at another address. No
/// link leads to itself, so 0 is null.
struct relative_links {
    [[nodiscard]] static heap_block load(const std::byte* at) noexcept {
        const std::size_t distance = read_word(at);
        // With integers, because a damaged link leads anywhere.
        return distance == 0 ? heap_block()
                             : heap_block(reinterpret_cast<std::byte*>(reinterpret_cast<std::uintptr_t>(at) +
                                                                       distance));
    }
    static void store(std::byte* at, heap_block to) noexcept {
        write_word(at, to ? static_cast<std::size_t>(to.begin() - at) : 0);
    }
};

}} // namespace mallard::space::MALLARD_LIBRARY
