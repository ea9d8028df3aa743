/// A pointer for each size class: ten bytes as long as one class is in use.
///
///     reach_ < 0, one class:        word_, which is the pointer of class ~reach_
///     reach_ > 0, several classes:  word_ -> [ class 0 | class 1 | ... | class reach_ - 1 ]
///
/// Most pools serve the nodes of one container, hence the first form. The owner chooses the place of the table.
#pragma once

#include <mallard/core/build_mode.hpp>
#include <mallard/core/free_block.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace mallard::reuse::inline MALLARD_LIBRARY {

template <class T>
class class_table {
public:
    /// Returns: the place of the pointer of class `index`; null if there is none.
    /// Requires: `index` is at most 2^15 - 1.
    [[nodiscard, gnu::always_inline]] T** find(std::size_t index) noexcept {
        const int wanted = static_cast<int>(index);
        if (wanted == ~reach_) [[likely]] {
            return &word_;
        }
        return wanted < reach_ ? core::known(table() + index) : nullptr;
    }

    [[nodiscard]] bool is_table() const noexcept { return reach_ > 0; }

    /// Requires: is_table().
    [[nodiscard]] T** table() const noexcept { return reinterpret_cast<T**>(word_); }

    /// Returns: one more than the largest class with a place.
    [[nodiscard]] std::size_t size() const noexcept {
        const int reach = reach_;
        return static_cast<std::size_t>(reach < 0 ? -reach : reach);
    }

    /// Effects: forgets all pointers and makes a place for class `index` alone.
    void use_word_for(std::size_t index) noexcept {
        word_ = nullptr;
        reach_ = static_cast<std::int16_t>(~static_cast<int>(index));
    }

    /// Effects: makes places for the classes below `size` at `memory`, and moves the pointers there.
    /// Requires: `size >= this->size()`; there are fewer than 2^9 classes.
    void use_table(void* memory, std::size_t size) noexcept {
        auto** places = static_cast<T**>(memory);
        std::fill_n(places, size, nullptr);
        if (is_table()) {
            std::copy_n(table(), this->size(), places);
        } else if (reach_ != 0) {
            places[~reach_] = word_;
        }
        word_ = static_cast<T*>(memory);
        reach_ = static_cast<std::int16_t>(size);
    }

    void clear() noexcept {
        word_ = nullptr;
        reach_ = 0;
    }

private:
    T* word_ = nullptr;
    std::int16_t reach_ = 0;
};

} // namespace mallard::reuse::inline MALLARD_LIBRARY
