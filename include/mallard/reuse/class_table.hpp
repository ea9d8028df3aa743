/// A pointer for each size class, in ten bytes, for as long as one class is all that is needed.
///
///     reach_ < 0, one class:        word_, which is the pointer of class ~reach_
///     reach_ > 0, several classes:  word_ -> [ class 0 | class 1 | ... | class reach_ - 1 ]
///
/// Most pools serve the nodes of one container, hence the first form. Where the table lies is the owner's
/// affair.
#pragma once

#include <mallard/core/build_mode.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace mallard::reuse::inline MALLARD_MODE {

template <class T>
class class_table {
public:
    /// Returns: where the pointer of class `index` is, or null where there is no place for one.
    [[nodiscard]] T** find(std::size_t index) noexcept {
        const int wanted = static_cast<int>(index);
        if (wanted == ~reach_) [[likely]] {
            return &word_;
        }
        return wanted < reach_ ? table() + index : nullptr;
    }

    [[nodiscard]] bool is_table() const noexcept { return reach_ > 0; }

    /// Requires: is_table().
    [[nodiscard]] T** table() const noexcept { return reinterpret_cast<T**>(word_); }

    /// Returns: one more than the largest class that there is a place for.
    [[nodiscard]] std::size_t size() const noexcept {
        const int reach = reach_;
        return static_cast<std::size_t>(reach < 0 ? -reach : reach);
    }

    /// Effects: forgets all pointers and makes a place for class `index`, and only for it.
    void use_word_for(std::size_t index) noexcept {
        word_ = nullptr;
        reach_ = static_cast<std::int16_t>(~static_cast<int>(index));
    }

    /// Effects: makes places for classes below `size` at `memory`, and takes the pointers that there are
    /// over.
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

} // namespace mallard::reuse::inline MALLARD_MODE
