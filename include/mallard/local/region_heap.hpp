/// A heap in a fixed region of the caller: in static storage, in a file, in memory that processes share.
///
///     region:  [ metadata | tag | block | tag | block | ... | remainder ............ | tag ]
///              ^ the region_heap itself                                               ^ region_bytes()
///
///     alignas(16) static std::byte memory[64 << 10];
///     mallard::region_heap& heap = mallard::region_heap::create_in(memory);
///
/// Data model: local/heap.hpp with one room. The metadata lie at the begin of the region. Links are distances, so
/// that each process may map the region at another address, or write it to a file and read it again. Containers with a
/// region_allocator (bind/region_allocator.hpp) do so too; those that store addresses work only at the address
/// where they were made. Objects are found again by a name. Large blocks lie in the region too. The region can grow at
/// its end, and give up free memory there.
///
/// Threads: not thread-safe. Callers that share a region need their own lock, for example in the region.
///
/// Source: Gaztañaga, "Applying classic memory allocation strategies to C++ containers", chapter 1 (size-limited
/// and shared memory).
#pragma once

#include <mallard/core/alignment.hpp>
#include <mallard/core/build_mode.hpp>
#include <mallard/core/concepts.hpp>
#include <mallard/core/contract.hpp>
#include <mallard/core/expansion.hpp>
#include <mallard/core/failure.hpp>
#include <mallard/core/offset_ptr.hpp>
#include <mallard/core/sanitizer.hpp>
#include <mallard/core/stats.hpp>
#include <mallard/impl/space/heap_block.hpp>
#include <mallard/impl/space/heap_calls.hpp>
#include <mallard/impl/space/region_room.hpp>

#include <cstddef>
#include <new>
#include <span>
#include <string_view>
#include <type_traits>

namespace mallard { inline namespace MALLARD_MODE {

class region_heap : public space::heap_calls<space::region_room, space::relative_links> {
    using calls = typename region_heap::heap_calls;
    using room_type = space::region_room;
    using calls::rooms_;
    using calls::space_;

public:
    /// Effects: makes a heap of the region. No destructor need run: the region belongs to the caller again after
    /// give_up(), or once no block is used.
    /// Returns: the heap, which lies at the begin of the region.
    /// Throws: refused_request if the region is shorter than least_region_bytes() or does not begin at a multiple
    /// of fundamental_alignment.
    static region_heap& create_in(std::span<std::byte> region) {
        if (region.size() < least_region_bytes() || !core::is_aligned(region.data(), fundamental_alignment)) {
            core::refuse_region(region.data(), region.size(), least_region_bytes(), fundamental_alignment);
        }
        return *::new (region.data()) region_heap(core::align_down(region.size(), fundamental_alignment));
    }

    /// Returns: the heap in the region that begins at `region`, made by this process or another one, at this
    /// address or another one.
    /// Throws: refused_request if there is none, or one of another layout.
    static region_heap& open_in(void* region) {
        auto* const heap = static_cast<region_heap*>(region);
        if (!core::is_aligned(region, fundamental_alignment) || !heap->rooms_.is_signed()) {
            core::refuse_foreign_region(region);
        }
        return *heap;
    }

    /// Returns: the heap in the region, which is at least as long as that.
    /// Throws: refused_request if there is none, one of another layout, or one that is longer, as in a file
    /// that was cut off.
    static region_heap& open_in(std::span<std::byte> region) {
        if (region.size() < least_region_bytes()) {
            core::refuse_region(region.data(), region.size(), least_region_bytes(), fundamental_alignment);
        }
        region_heap& heap = open_in(static_cast<void*>(region.data()));
        if (heap.region_bytes() > region.size()) {
            core::refuse_region_part(region.data(), region.size(), heap.region_bytes());
        }
        return heap;
    }

    /// Returns: the bytes of the smallest region, which has room for one smallest block.
    [[nodiscard]] static constexpr std::size_t least_region_bytes() noexcept {
        return room_type::metadata_bytes + space::heap_block::least_bytes + room_type::space_type::end_bytes;
    }

    /// Effects: `object` is found by `name` and its type from now on, instead of another one of that name.
    /// Requires: `object` lies in the region, and is named anew or unnamed before it ends.
    /// Throws: std::bad_alloc if there is no memory for a new name, which takes a block of the heap.
    /// Complexity: linear in the number of names.
    template <class T>
        requires std::is_object_v<T>
    void set_root(std::string_view name, T* object) {
        if (object == nullptr) {
            set_root(name, nullptr);
        } else {
            MALLARD_EXPECTS(owns(const_cast<const std::remove_cv_t<T>*>(object)));
            set_root(name, object, space::root_type::from<std::remove_cv_t<T>>());
        }
    }

    /// Effects: ends the name.
    void set_root(std::string_view name, std::nullptr_t) noexcept {
        offset_ptr<space::named_root>& link = rooms_.link_of_root(name);
        if (link != nullptr) {
            space::named_root* const ended = link.get();
            rooms_.set_link(link, ended->next.get());
            this->deallocate(ended);
        }
    }

    /// Returns: the object of that name; null if there is none.
    /// Requires: a T has the same layout in all programs that open the region.
    /// Throws: refused_request if the object was named as another type: of another size or alignment or, in a program by the
    /// same compiler, with another name.
    /// Complexity: linear in the number of names.
    template <class T>
        requires std::is_object_v<T>
    [[nodiscard]] T* find_root(std::string_view name) {
        const offset_ptr<space::named_root>& link = rooms_.link_of_root(name);
        if (link == nullptr) {
            return nullptr;
        }
        const space::root_type& type = link->type;
        if (!type.matches(space::root_type::from<std::remove_cv_t<T>>())) {
            core::refuse_root_type(name.data(), name.size(), sizeof(T), alignof(T),
                                   static_cast<std::size_t>(type.bytes),
                                   static_cast<std::size_t>(type.alignment));
        }
        return static_cast<T*>(link->object.get());
    }

    /// Effects: ends all blocks and names.
    /// Requires: allocators over this one were released before, or are never used again.
    /// Complexity: constant.
    void release() noexcept {
        const std::size_t room_bytes = region_bytes() - room_type::metadata_bytes;
        space_.clear();
        rooms_.forget_roots();
        core::poison(rooms_.first(), room_bytes);
        space_.add_room(rooms_.first(), room_bytes);
    }

    /// Effects: adds the `more_bytes` bytes behind the region to it, rounded down to a multiple of 16; none if
    /// they are too few for a block, or too many for any region.
    /// Returns: the bytes that the region has now.
    /// Requires: the bytes belong to the caller, and are mapped behind the region in every process that maps it.
    std::size_t grow(std::size_t more_bytes) noexcept {
        const std::size_t more = core::align_down(more_bytes, fundamental_alignment);
        if (more >= space::heap_block::least_bytes && more <= room_type::most_region_bytes - region_bytes()) {
            core::poison(rooms_.begin() + region_bytes(), more);
            space_.extend_room(rooms_.end(), more);
            rooms_.set_region_bytes(region_bytes() + more);
        }
        return region_bytes();
    }

    /// Effects: gives up the free memory at the end of the region.
    /// Returns: the bytes that it has now; the rest is the caller's.
    std::size_t shrink_to_fit() noexcept {
        const std::size_t least = core::align_up(least_region_bytes(), fundamental_alignment);
        const std::size_t removed_bytes = space_.cut_room(rooms_.end(), region_bytes() - least);
        rooms_.set_region_bytes(region_bytes() - removed_bytes);
        core::unpoison(rooms_.begin() + region_bytes(), removed_bytes);
        return region_bytes();
    }

    /// Effects: ends the heap, and invalidates its blocks.
    /// Returns: the region, which is the caller's again, and usable under AddressSanitizer.
    std::span<std::byte> give_up() noexcept {
        const std::span<std::byte> region(rooms_.begin(), region_bytes());
        rooms_.end_signature();
        core::unpoison(region.data(), region.size());
        return region;
    }

    /// Returns: the length of the region, the heap itself included.
    [[nodiscard]] std::size_t region_bytes() const noexcept { return rooms_.region_bytes(); }

    /// Returns: true if `p` points into the region.
    [[nodiscard]] bool owns(const void* p) const noexcept {
        return core::lies_in({reinterpret_cast<const std::byte*>(this), region_bytes()}, p);
    }

    /// Returns: the region as one chunk.
    [[nodiscard]] allocator_stats stats() const noexcept { return rooms_.stats(); }

private:
    void set_root(std::string_view name, const volatile void* object, const space::root_type& type) {
        offset_ptr<space::named_root>& link = rooms_.link_of_root(name);
        if (link == nullptr) {
            void* const p = this->allocate(sizeof(space::named_root) + name.size());
            name.copy(static_cast<char*>(p) + sizeof(space::named_root), name.size());
            rooms_.set_link(link,
                            ::new (p) space::named_root{
                                .next = nullptr, .object = nullptr, .type = type, .length = name.size()});
        }
        link->object = const_cast<void*>(object);
        link->type = type;
    }

    explicit region_heap(std::size_t bytes) noexcept : calls(bytes) {
        static_assert(std::is_standard_layout_v<room_type> &&
                      sizeof(region_heap) <= room_type::metadata_bytes);
        release();
    }
    ~region_heap() = default;
};

static_assert(local_allocator<region_heap> && burst_allocator<region_heap> && expandable<region_heap>);

}} // namespace mallard::MALLARD_MODE
