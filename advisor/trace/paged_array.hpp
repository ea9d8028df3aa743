/// Arrays that grow for as long as a recording has new stacks.
///
/// Data model: pieces of equal length. Only the first one grows by copying, so that a small array is small, and a large one
/// never exists twice.
#pragma once

#include "trace/large_memory.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace mallard::trace {

template <typename T>
class paged_array {
public:
    [[nodiscard]] std::size_t size() const noexcept { return size_; }

    T& operator[](std::size_t index) noexcept { return pieces_[index >> piece_bits][index & piece_mask]; }
    const T& operator[](std::size_t index) const noexcept {
        return pieces_[index >> piece_bits][index & piece_mask];
    }
    T& back() noexcept { return (*this)[size_ - 1]; }
    const T& back() const noexcept { return (*this)[size_ - 1]; }

    /// Throws: std::bad_alloc.
    void push_back(const T& element) {
        if ((size_ & piece_mask) == 0) {
            add_piece();
        }
        pieces_.back().push_back(element);
        ++size_;
    }

    /// Effects: appends copies of `element` until there are `count`.
    void grow_to(std::size_t count, const T& element) {
        while (size_ < count) {
            push_back(element);
        }
    }

private:
    static constexpr unsigned piece_bits = 18;
    static constexpr std::size_t piece_mask = (std::size_t{1} << piece_bits) - 1;

    void add_piece() {
        large_vector<T> piece;
        if (!pieces_.empty()) {
            piece.reserve(piece_mask + 1);
        }
        pieces_.push_back(std::move(piece));
    }

    std::vector<large_vector<T>> pieces_;
    std::size_t size_ = 0;
};

/// Numbers that take two bytes each, or four as soon as one of them needs more.
class small_numbers {
public:
    [[nodiscard]] std::size_t size() const noexcept { return is_wide_ ? wide_.size() : narrow_.size(); }
    std::uint32_t operator[](std::size_t index) const noexcept {
        return is_wide_ ? wide_[index] : narrow_[index];
    }

    /// Throws: std::bad_alloc.
    void push_back(std::uint32_t number) {
        fit(number);
        if (is_wide_) {
            wide_.push_back(number);
        } else {
            narrow_.push_back(static_cast<std::uint16_t>(number));
        }
    }
    /// Throws: std::bad_alloc.
    void set(std::size_t index, std::uint32_t number) {
        fit(number);
        if (is_wide_) {
            wide_[index] = number;
        } else {
            narrow_[index] = static_cast<std::uint16_t>(number);
        }
    }

private:
    void fit(std::uint32_t number) {
        if (number <= std::numeric_limits<std::uint16_t>::max() || is_wide_) [[likely]] {
            return;
        }
        for (std::size_t index = 0; index < narrow_.size(); ++index) {
            wide_.push_back(narrow_[index]);
        }
        narrow_ = {};
        is_wide_ = true;
    }

    paged_array<std::uint16_t> narrow_;
    paged_array<std::uint32_t> wide_;
    bool is_wide_ = false;
};

} // namespace mallard::trace
