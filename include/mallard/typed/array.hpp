/// Arrays in memory of an allocator: room for objects, and arrays of objects.
///
///     std::span<vertex> all = mallard::make_array<vertex>(arena, count);       // value-initialised
///     std::span<float> raw = mallard::allocate_array<float>(arena, count);     // room, no objects
///     auto names = mallard::make_unique<std::string[]>(pool, count);           // a std::unique_ptr
///
/// An array of no elements takes no memory. A length that no memory could hold is std::bad_array_new_length, as
/// with new.
#pragma once

#include <mallard/core/build_mode.hpp>
#include <mallard/core/cancellation.hpp>
#include <mallard/core/concepts.hpp>
#include <mallard/core/failure.hpp>
#include <mallard/core/upstream_handle.hpp>
#include <mallard/lifetime/object_room.hpp>
#include <mallard/typed/make.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

namespace mallard { inline namespace MALLARD_MODE {

/// Returns: room for `count` objects of type T, without objects in it.
/// Throws: std::bad_array_new_length if their size is not representable; the exceptions of the allocation.
template <class T, upstream A>
[[nodiscard]] std::span<T> allocate_array(A& from, std::size_t count) {
    if (count > PTRDIFF_MAX / sizeof(T)) [[unlikely]] {
        core::fail_array_length(count, sizeof(T), alignof(T));
    }
    return {count == 0 ? nullptr : static_cast<T*>(from.allocate(count * sizeof(T), alignof(T))), count};
}

/// Effects: gives the room back to `from`.
/// Requires: `room` came from allocate_array<T>(from).
template <class T, upstream A>
void deallocate_array(A& from, std::span<T> room) noexcept {
    if (!room.empty()) {
        core::give_back(from, room.data(), room.size_bytes(), alignof(T));
    }
}

}} // namespace mallard::MALLARD_MODE

namespace mallard::typed { inline namespace MALLARD_MODE {

/// Effects: gives the room back whose array never came to be, as lifetime::give_back() does.
template <class T, upstream A>
void give_back_array(A& from, std::span<T> room) noexcept {
    if (!room.empty()) {
        lifetime::give_back(from, room.data(), room.size_bytes(), alignof(T));
    }
}

/// Room for an array, and the elements that were made in it so far. Both go back unless keep() is called.
template <class T, upstream A>
class array_room {
public:
    array_room(A& from, std::size_t count) : from_(from), room_(allocate_array<T>(from, count)) {}

    array_room(const array_room&) = delete;
    array_room& operator=(const array_room&) = delete;

    ~array_room() {
        if (!room_.empty()) {
            std::destroy_n(room_.data(), constructed_);
            give_back_array(from_, room_);
        }
    }

    /// Effects: makes the elements, and hands each the allocator if it takes one.
    void make() {
        const lifetime::allocator_for_t<T, A> allocator(std::addressof(from_));
        for (; constructed_ != room_.size(); ++constructed_) {
            bind::construct_with(room_.data() + constructed_, allocator);
        }
    }

    [[nodiscard]] std::span<T> keep() noexcept { return std::exchange(room_, {}); }

private:
    A& from_;
    std::span<T> room_;
    std::size_t constructed_ = 0;
};

}} // namespace mallard::typed::MALLARD_MODE

namespace mallard { inline namespace MALLARD_MODE {

/// Effects: makes `count` objects of type T in memory of `from`, value-initialised, and hands each the allocator if
/// T takes one.
/// Returns: the array. It ends by destroy_array(), or with the memory, without destructors.
/// Throws: the exceptions of allocate_array() and of T's constructor. The room is deallocated then.
template <class T, upstream A>
[[nodiscard]] std::span<T> make_array(A& from, std::size_t count) {
    typed::array_room<T, A> room(from, count);
    room.make();
    return room.keep();
}

/// Effects: destroys the objects and gives their memory back to `from`.
/// Requires: `array` came from make_array<T>(from), or from finish() of an array_builder over `from`.
template <class T, upstream A>
void destroy_array(A& from, std::span<T> array) noexcept {
    std::destroy(array.begin(), array.end());
    deallocate_array(from, array);
}

/// The deleter of pointers to arrays in memory of an A. It knows the number of elements.
template <class T, upstream A>
class deleter<T[], A> {
public:
    deleter() noexcept = default;

    /// Requires: `from` outlives the array.
    deleter(A& from, std::size_t count) noexcept : from_(from), count_(count) {}

    void operator()(T* elements) const noexcept {
        auto&& from = from_.get();
        destroy_array(from, std::span<T>(elements, count_));
    }

    [[nodiscard]] std::size_t count() const noexcept { return count_; }

private:
    [[MALLARD_NO_UNIQUE_ADDRESS]] core::upstream_handle<A> from_;
    std::size_t count_ = 0;
};

/// Effects: makes an array of `count` elements.
/// Returns: its owner, which destroys it and gives its memory back.
/// Throws: the exceptions of make_array().
template <class T, upstream A>
    requires std::is_unbounded_array_v<T>
[[nodiscard]] unique_ptr<T, A> make_unique(A& from, std::size_t count) {
    using element = std::remove_extent_t<T>;
    return unique_ptr<T, A>(make_array<element>(from, count).data(), deleter<T, A>(from, count));
}

}} // namespace mallard::MALLARD_MODE
