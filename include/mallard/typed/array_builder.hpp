/// An array that grows in memory of an allocator until its length is known.
///
///     auto tokens = mallard::make_array_builder<token>(arena);
///     while (more()) { tokens.emplace_back(next()); }
///     std::span<token> all = tokens.finish();         // exactly these, without spare room
///
///     elements_ -> [ size_ elements | room for more ]       capacity_ in all
///
/// The last block of a monotonic allocator, and a block of a heap, grow in place: nothing is copied, and
/// finish() gives the spare room back. Elsewhere the room doubles and the elements move.
///
/// Data model: one block; null if no element was made yet.
/// Requires: the allocator is not rewound, and not rolled back to a mark taken before the last growth, as long as the
/// builder lives.
#pragma once

#include <mallard/core/build_mode.hpp>
#include <mallard/core/concepts.hpp>
#include <mallard/core/contract.hpp>
#include <mallard/core/expansion.hpp>
#include <mallard/core/utility.hpp>
#include <mallard/lifetime/object_room.hpp>
#include <mallard/typed/array.hpp>

#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

namespace mallard::typed { inline namespace MALLARD_MODE {

/// Effects: gives block `p` at least `least` bytes in place, and `preferred` ones if possible.
/// Returns: the bytes that it has then; 0 if it stays as it is.
template <upstream A>
std::size_t resize_in_place(A& from, void* p, std::size_t bytes, std::size_t least,
                            std::size_t preferred) noexcept {
    if constexpr (requires { from.resize_last(p, bytes, least); }) {
        return from.resize_last(p, bytes, preferred) ? preferred
               : from.resize_last(p, bytes, least)   ? least
                                                     : 0;
    } else if constexpr (expandable<A>) {
        if (least <= bytes) {
            from.shrink(p, preferred);
            return preferred;
        }
        return from
            .try_expand(p,
                        {.least_bytes = least, .preferred_bytes = preferred, .allowed = expansion::forward})
            .bytes;
    } else {
        return 0;
    }
}

}} // namespace mallard::typed::MALLARD_MODE

namespace mallard { inline namespace MALLARD_MODE {

template <class T, upstream A>
class array_builder {
public:
    /// Effects: makes a builder that asks for nothing until its first element.
    /// Requires: `from` outlives the builder.
    explicit array_builder(A& from) noexcept : from_(from) {}

    array_builder(const array_builder&) = delete;
    array_builder& operator=(const array_builder&) = delete;

    /// Effects: destroys the elements and gives the memory back, unless finish() handed them over.
    ~array_builder() { give_back(); }

    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
    [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }
    [[nodiscard]] T* begin() noexcept { return elements_; }
    [[nodiscard]] T* end() noexcept { return elements_ + size_; }
    [[nodiscard]] const T* begin() const noexcept { return elements_; }
    [[nodiscard]] const T* end() const noexcept { return elements_ + size_; }

    /// Requires: `i` is below size().
    [[nodiscard]] T& operator[](std::size_t i) noexcept {
        MALLARD_EXPECTS(i < size_);
        return elements_[i];
    }
    [[nodiscard]] const T& operator[](std::size_t i) const noexcept {
        MALLARD_EXPECTS(i < size_);
        return elements_[i];
    }

    /// Effects: makes an element of `args` at the end, and hands it the allocator if it takes one.
    /// Returns: the element.
    /// Throws: the exceptions of the allocation, and of T's constructors. The elements are unchanged then, unless the
    /// move constructor threw that takes them, and the allocator if they have one, to a larger block.
    /// Complexity: constant on average. Elements move only if the block cannot grow in place.
    template <class... Args>
    T& emplace_back(Args&&... args) {
        extend(1, [&](T* place) { construct(place, std::forward<Args>(args)...); });
        return elements_[size_ - 1];
    }

    T& push_back(const T& value) { return emplace_back(value); }
    T& push_back(T&& value) { return emplace_back(std::move(value)); }

    /// Effects: copies `values` to the end. They may be elements of this builder.
    /// Throws: the exceptions of emplace_back(), with the elements as it leaves them.
    void append(std::span<const T> values) {
        extend(values.size(), [&](T* place) { copy(values, place); });
    }

    /// Effects: makes room for `count` elements in all.
    /// Throws: the exceptions of the allocation, and of moving T.
    void reserve(std::size_t count) {
        core::warn_if_negative(count);
        if (count > capacity_ && !grow_in_place(count, count)) {
            move_to(count, 0, [](T*) {});
        }
    }

    /// Effects: destroys the last element.
    /// Requires: there is one.
    void pop_back() noexcept {
        MALLARD_EXPECTS(size_ != 0);
        std::destroy_at(elements_ + --size_);
    }

    /// Effects: destroys all elements, and keeps the room.
    void clear() noexcept {
        std::destroy_n(elements_, size_);
        size_ = 0;
    }

    /// Effects: gives the spare room back, and hands the elements over. The builder is empty then, and may be used
    /// again. If the room cannot be cut off, the elements move to a block of their size.
    /// Returns: the elements. They end by destroy_array(), or with the memory.
    /// Throws: the exceptions of reserve(), with the elements as emplace_back() leaves them.
    [[nodiscard]] std::span<T> finish() {
        if (size_ == 0) {
            give_back();
            return {};
        }
        if (size_ != capacity_) {
            const std::size_t bytes = size_ * sizeof(T);
            if (typed::resize_in_place(from_, elements_, capacity_ * sizeof(T), bytes, bytes) == 0) {
                move_to(size_, 0, [](T*) {});
            }
        }
        capacity_ = 0;
        return {std::exchange(elements_, nullptr), std::exchange(size_, 0)};
    }

private:
    /// The bytes of the first block.
    static constexpr std::size_t first_bytes = 64;

    void give_back() noexcept {
        clear();
        deallocate_array(from_, std::span(std::exchange(elements_, nullptr), std::exchange(capacity_, 0)));
    }

    template <class... Args>
    void construct(T* place, Args&&... args) {
        bind::construct_with(place, lifetime::allocator_for_t<T, A>(std::addressof(from_)),
                             std::forward<Args>(args)...);
    }

    /// Effects: copies `values` to `place`; none if a copy throws.
    void copy(std::span<const T> values, T* place) {
        if constexpr (std::is_trivially_copyable_v<T>) {
            if (!values.empty()) {
                std::memcpy(static_cast<void*>(place), values.data(), values.size_bytes());
            }
        } else {
            unfinished constructed{place};
            for (const T& value : values) {
                construct(place + constructed.count, value);
                ++constructed.count;
            }
            constructed.count = 0;
        }
    }

    /// Effects: makes `count` elements behind the last one by `make(place)`, which makes all or throws.
    template <class Make>
    void extend(std::size_t count, Make make) {
        if (count > capacity_ - size_) [[unlikely]] {
            const std::size_t least = size_ + core::min(count, PTRDIFF_MAX / sizeof(T) + 1 - size_);
            const std::size_t doubled = core::max(2 * capacity_, first_bytes / sizeof(T));
            const std::size_t preferred = core::max(least, doubled);
            if (!grow_in_place(least, preferred)) {
                move_to(preferred, count, make);
                return;
            }
        }
        make(elements_ + size_);
        size_ += count;
    }

    /// Returns: false, with no effect, if the block cannot have `least` elements in place.
    bool grow_in_place(std::size_t least, std::size_t preferred) noexcept {
        if (elements_ == nullptr || preferred > PTRDIFF_MAX / sizeof(T)) {
            return false;
        }
        const std::size_t bytes = typed::resize_in_place(from_, elements_, capacity_ * sizeof(T),
                                                         least * sizeof(T), preferred * sizeof(T));
        capacity_ = core::max(capacity_, bytes / sizeof(T));
        return bytes != 0;
    }

    /// Effects: moves the elements to a block for `capacity` of them, with `count` more behind them by `make`. These are
    /// made first, because they may be copies of elements.
    template <class Make>
    void move_to(std::size_t capacity, std::size_t count, Make make) {
        new_room fresh{from_, allocate_array<T>(from_, capacity)};
        T* const moved = fresh.room.data();
        make(moved + size_);
        unfinished added{moved + size_, count};
        move_elements(moved);
        added.count = 0;
        std::destroy_n(elements_, size_);
        fresh.room = {};
        deallocate_array(from_,
                         std::span(std::exchange(elements_, moved), std::exchange(capacity_, capacity)));
        size_ += count;
    }

    /// Effects: makes the elements again at `place`: by moves that do not throw, otherwise by copies.
    void move_elements(T* place) {
        if constexpr (std::is_trivially_copyable_v<T>) {
            copy({elements_, size_}, place);
        } else {
            unfinished constructed{place};
            for (; constructed.count != size_; ++constructed.count) {
                construct(place + constructed.count, std::move_if_noexcept(elements_[constructed.count]));
            }
            constructed.count = 0;
        }
    }

    /// Elements that are destroyed unless the count is set to 0.
    struct unfinished {
        T* first;
        std::size_t count = 0;

        explicit unfinished(T* place, std::size_t constructed = 0) noexcept
            : first(place), count(constructed) {}
        unfinished(const unfinished&) = delete;
        unfinished& operator=(const unfinished&) = delete;
        ~unfinished() { std::destroy_n(first, count); }
    };

    /// A block that goes back unless it is taken over.
    struct new_room {
        A& from;
        std::span<T> room;

        new_room(A& source, std::span<T> block) noexcept : from(source), room(block) {}
        new_room(const new_room&) = delete;
        new_room& operator=(const new_room&) = delete;
        ~new_room() { typed::give_back_array(from, room); }
    };

    A& from_;
    T* elements_ = nullptr;
    std::size_t size_ = 0;
    std::size_t capacity_ = 0;
};

/// Returns: a builder over `from`, whose type is deduced. It asks for nothing until its first element.
/// Requires: `from` outlives the builder.
template <class T, upstream A>
[[nodiscard]] array_builder<T, A> make_array_builder(A& from) noexcept {
    return array_builder<T, A>(from);
}

}} // namespace mallard::MALLARD_MODE
