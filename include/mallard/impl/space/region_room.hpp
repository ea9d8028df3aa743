/// The one room of a heap in a fixed region, which the heap itself lies at the begin of.
///
///     region:  [ region_room | lists and remainder | tag | block | tag | block | ... | tag ]
///              ^ this, and the heap                ^ first()                         ^ end()
///     roots:   region_room -> [ next | object | type | length | name ... ] -> ...     each in a block of the heap
///
/// Invariants: the length and the distance of the first root are the complements of the words behind them, and the
/// signature is that of this layout, in every process that has the region mapped.
#pragma once

#include <mallard/core/alignment.hpp>
#include <mallard/core/build_mode.hpp>
#include <mallard/core/failure.hpp>
#include <mallard/core/offset_ptr.hpp>
#include <mallard/core/stats.hpp>
#include <mallard/core/type_name.hpp>
#include <mallard/impl/space/heap_block.hpp>
#include <mallard/impl/space/heap_sanity.hpp>
#include <mallard/impl/space/quick_fit.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace mallard::space { inline namespace MALLARD_MODE {

/// The type of an object, for processes that other compilers may have compiled. Those write the names of types in other ways.
struct root_type {
    std::uint64_t bytes;
    std::uint64_t alignment;
    std::uint64_t dialect; ///< core::type_name_dialect
    std::uint64_t name;    ///< core::type_name_hash

    template <class T>
    [[nodiscard]] static constexpr root_type from() noexcept {
        return {sizeof(T), alignof(T), core::type_name_dialect, core::type_name_hash<T>};
    }

    /// Returns: false if the types differ, as far as can be known.
    [[nodiscard]] constexpr bool matches(const root_type& other) const noexcept {
        return bytes == other.bytes && alignment == other.alignment &&
               (dialect != other.dialect || name == other.name);
    }
};

/// An object that other processes find by its name, which lies behind this.
struct named_root {
    offset_ptr<named_root> next;
    offset_ptr<void> object;
    root_type type;
    std::size_t length;

    [[nodiscard]] std::string_view name() const noexcept {
        return {reinterpret_cast<const char*>(this + 1), length};
    }
};

class region_room {
public:
    using space_type = quick_fit<relative_links>;

    static constexpr std::size_t most_region_bytes = PTRDIFF_MAX;
    /// The heap's own part of the region, up to the tag of the first block. The link of the roots takes eight bytes of
    /// it with pointers of four, too.
    static constexpr std::size_t metadata_bytes =
        core::align_up(5 * sizeof(std::uint64_t) + sizeof(space_type) + heap_block::tag_bytes,
                       fundamental_alignment) -
        heap_block::tag_bytes;

    explicit region_room(std::size_t bytes) noexcept
        : region_bytes_(bytes), not_region_bytes_(~region_bytes_) {}

    [[nodiscard]] bool is_signed() const noexcept { return signature_ == signature; }
    void end_signature() noexcept { signature_ = 0; }

    [[nodiscard]] std::size_t region_bytes() const noexcept {
        return static_cast<std::size_t>(region_bytes_);
    }
    void set_region_bytes(std::size_t bytes) noexcept {
        region_bytes_ = bytes;
        not_region_bytes_ = ~region_bytes_;
    }

    [[nodiscard]] std::byte* begin() noexcept { return reinterpret_cast<std::byte*>(this); }
    [[nodiscard]] std::byte* first() noexcept { return begin() + metadata_bytes; }
    [[nodiscard]] std::byte* end() noexcept { return begin() + region_bytes() - space_type::end_bytes; }

    /// Returns: the link to the root of that name; the last, null link if there is none.
    [[nodiscard]] offset_ptr<named_root>& link_of_root(std::string_view name) noexcept {
        offset_ptr<named_root>* link = &roots_;
        while (*link != nullptr && (*link)->name() != name) {
            link = &(*link)->next;
        }
        return *link;
    }
    /// Effects: changes a link, which link_of_root() returned.
    void set_link(offset_ptr<named_root>& link, named_root* to) noexcept {
        link = to;
        not_first_root_ = ~first_root();
    }
    void forget_roots() noexcept { set_link(roots_, nullptr); }

    // ---- as chunk_rooms

    /// Returns: false if `quiet`: the region has no other room.
    /// Throws: std::bad_alloc otherwise.
    static bool add_room_for(const space_type&, std::size_t block_bytes, bool quiet) {
        if (!quiet) {
            core::fail_allocation(block_bytes, heap_block::granule_bytes);
        }
        return false;
    }

    /// Returns: the bytes that a burst asks add_room_for() to have room for, which has none.
    [[nodiscard]] static std::size_t room_of_chunk(std::size_t least, std::size_t) noexcept { return least; }

    [[noreturn]] static void fail(std::size_t bytes, std::size_t alignment) {
        core::fail_allocation(bytes, alignment);
    }

    template <class F>
    bool walk_rooms(F f) const {
        auto& self = const_cast<region_room&>(*this);
        return f(self.first(), self.end());
    }

    [[nodiscard]] static heap_block allocate_large(std::size_t, std::size_t) noexcept { return {}; }
    static void deallocate_large(heap_block) noexcept {}
    static bool grow_large(heap_block, std::size_t, std::size_t) noexcept { return false; }
    static void shrink_large(heap_block, std::size_t) noexcept {}
    [[nodiscard]] static std::size_t shrunk_large(heap_block, std::size_t) noexcept { return 0; }
    template <class F>
    [[nodiscard]] static heap_block find_large(F) noexcept {
        return {};
    }

    [[nodiscard]] heap_sanity damaged() const noexcept {
        if (region_bytes_ != ~not_region_bytes_) {
            return {"the length of the region is damaged", nullptr};
        }
        if (first_root() != ~not_first_root_) {
            return {"the link to the named objects of the region is damaged", nullptr};
        }
        return {is_signed() ? nullptr : "the signature of the region is damaged", nullptr};
    }

    /// Returns: the region as one chunk.
    [[nodiscard]] allocator_stats stats() const noexcept {
        return {.chunks = 1, .chunk_bytes = region_bytes()};
    }

private:
    /// Returns: the distance of the first root; that of the link's second byte if there is none, so that any other link has
    /// another one.
    [[nodiscard]] std::uint64_t first_root() const noexcept {
        const auto address = roots_ == nullptr ? reinterpret_cast<std::uintptr_t>(&roots_) + 1
                                               : reinterpret_cast<std::uintptr_t>(roots_.get());
        return address - reinterpret_cast<std::uintptr_t>(this);
    }

    static constexpr std::uint64_t signature = 0x6d61'6c6c'6172'6416; ///< "mallard", layout 6

    std::uint64_t signature_ = signature;
    std::uint64_t region_bytes_;
    std::uint64_t not_region_bytes_;
    offset_ptr<named_root> roots_;
    std::uint64_t not_first_root_ = ~first_root();
};

}} // namespace mallard::space::MALLARD_MODE
