/// Arrays that grow for as long as a recording has new stacks.
///
/// Data model: contiguous, like a vector. A large array grows by a move of its pages to other addresses: nothing is copied, so
/// that it never exists twice. It begins at a huge page, like `large_memory`.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <new>
#include <type_traits>
#include <utility>

namespace mallard::trace {

/// Memory whose contents remain when it grows.
class growing_memory {
public:
    growing_memory() noexcept = default;
    growing_memory(growing_memory&& from) noexcept
        : begin_(std::exchange(from.begin_, nullptr)), bytes_(std::exchange(from.bytes_, 0)) {}
    growing_memory& operator=(growing_memory&& from) noexcept {
        std::swap(begin_, from.begin_);
        std::swap(bytes_, from.bytes_);
        return *this;
    }
    ~growing_memory() {
        if (bytes_ < huge_page) {
            std::free(begin_);
        } else {
            ::munmap(begin_, bytes_);
        }
    }

    [[nodiscard]] std::byte* begin() const noexcept { return begin_; }
    [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

    /// Effects: doubles the memory.
    /// Throws: std::bad_alloc.
    void grow();

private:
    static constexpr std::size_t huge_page = std::size_t{2} << 20;
    static constexpr std::size_t first_bytes = 1024;

    std::byte* begin_ = nullptr;
    std::size_t bytes_ = 0;
};

template <typename T>
class growing_array {
    static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

public:
    growing_array() noexcept = default;
    growing_array(growing_array&& from) noexcept
        : memory_(std::move(from.memory_)), size_(std::exchange(from.size_, 0)) {}
    growing_array& operator=(growing_array&& from) noexcept {
        memory_ = std::move(from.memory_);
        std::swap(size_, from.size_);
        return *this;
    }

    [[nodiscard]] std::size_t size() const noexcept { return size_; }

    T& operator[](std::size_t index) noexcept { return elements()[index]; }
    const T& operator[](std::size_t index) const noexcept { return elements()[index]; }
    T& back() noexcept { return elements()[size_ - 1]; }
    [[nodiscard]] const T& back() const noexcept { return elements()[size_ - 1]; }

    /// Throws: std::bad_alloc.
    void push_back(const T& element) {
        if ((size_ + 1) * sizeof(T) > memory_.bytes()) [[unlikely]] {
            memory_.grow();
        }
        ::new (static_cast<void*>(elements() + size_)) T(element);
        ++size_;
    }

    /// Effects: appends copies of `element` until there are `count`.
    /// Throws: std::bad_alloc.
    void grow_to(std::size_t count, const T& element) {
        while (size_ < count) {
            push_back(element);
        }
    }

private:
    [[nodiscard]] T* elements() const noexcept { return reinterpret_cast<T*>(memory_.begin()); }

    growing_memory memory_;
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

    growing_array<std::uint16_t> narrow_;
    growing_array<std::uint32_t> wide_;
    bool is_wide_ = false;
};

} // namespace mallard::trace
