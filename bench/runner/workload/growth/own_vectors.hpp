/// The runner's own vectors: over realloc, and for null. Their members have the standard names.
#pragma once

#include "runner/harness/escape.hpp"
#include "runner/workload/request_counter.hpp"

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <span>
#include <type_traits>

namespace bench {

/// The elements and bounds of a vector. The derived class owns the memory.
template <class T>
class vector_range {
public:
    [[nodiscard]] T* data() noexcept { return first_; }
    [[nodiscard]] T* begin() noexcept { return first_; }
    [[nodiscard]] T* end() noexcept { return last_; }
    [[nodiscard]] std::size_t size() const noexcept { return static_cast<std::size_t>(last_ - first_); }
    [[nodiscard]] std::size_t capacity() const noexcept { return static_cast<std::size_t>(limit_ - first_); }
    [[nodiscard]] T& operator[](std::size_t i) noexcept { return first_[i]; }

    /// Requires: `last` is end().
    void erase(T* first, T* last) noexcept {
        std::destroy(first, last);
        last_ = first;
    }

protected:
    void append(const T& value) noexcept { ::new (static_cast<void*>(last_++)) T(value); }

    T* first_ = nullptr;
    T* last_ = nullptr;
    T* limit_ = nullptr;
};

/// A vector over realloc, which moves the elements if the block cannot grow in place. Its capacity doubles.
template <class T>
    requires std::is_trivially_copyable_v<T>
class realloc_vector : public vector_range<T> {
    using vector_range<T>::first_;
    using vector_range<T>::last_;
    using vector_range<T>::limit_;

public:
    /// Effects: constructs an empty vector. `counter` may be null.
    explicit realloc_vector(request_counter* counter) noexcept : counter_(counter) {}

    /// Throws: std::bad_alloc.
    realloc_vector(std::size_t size, request_counter* counter) : counter_(counter) {
        reallocate(size);
        last_ = limit_;
        std::uninitialized_value_construct(first_, last_);
    }

    realloc_vector(const realloc_vector&) = delete;
    realloc_vector& operator=(const realloc_vector&) = delete;

    ~realloc_vector() { release(); }

    /// Throws: std::bad_alloc.
    void push_back(const T& value) {
        if (last_ == limit_) [[unlikely]] {
            reallocate(this->size() == 0 ? 1 : 2 * this->size());
        }
        this->append(value);
    }

    void shrink_to_fit() {
        if (this->size() == 0) {
            release();
        } else if (last_ != limit_) {
            reallocate(this->size());
        }
    }

private:
    [[gnu::noinline]] void reallocate(std::size_t capacity) {
        const std::size_t size = this->size();
        const bool shrinks = first_ != nullptr && capacity < this->capacity();
        const block_address old = opaque(first_); // opaque, or compilers warn of a use after realloc
        auto* const p = static_cast<T*>(std::realloc(static_cast<void*>(first_), capacity * sizeof(T)));
        if (p == nullptr) {
            throw std::bad_alloc();
        }
        if (counter_ != nullptr) {
            count(old, p, capacity * sizeof(T), shrinks);
        }
        first_ = p;
        last_ = p + size;
        limit_ = p + capacity;
    }

    void count(block_address old, block_address p, std::size_t bytes, bool shrinks) noexcept {
        if (old != p) {
            counter_->allocated(p, bytes);
            if (old != block_address()) {
                counter_->deallocated(old);
            }
        } else if (shrinks) {
            counter_->shrunk(p, bytes);
        } else {
            counter_->expanded(old, p, bytes);
        }
    }

    void release() noexcept {
        if (first_ != nullptr && counter_ != nullptr) {
            counter_->deallocated(first_);
        }
        std::free(static_cast<void*>(first_));
        first_ = last_ = limit_ = nullptr;
    }

    request_counter* counter_;
};

/// null: a vector in memory of the caller, which is never freed.
template <class T>
class preallocated_vector : public vector_range<T> {
    using vector_range<T>::first_;
    using vector_range<T>::last_;
    using vector_range<T>::limit_;

public:
    explicit preallocated_vector(std::span<std::byte> room) noexcept {
        first_ = last_ = reinterpret_cast<T*>(room.data());
        limit_ = first_ + room.size() / sizeof(T);
    }

    preallocated_vector(std::size_t size, std::span<std::byte> room) noexcept : preallocated_vector(room) {
        last_ = first_ + size;
        std::uninitialized_value_construct(first_, last_);
    }

    preallocated_vector(const preallocated_vector&) = delete;
    preallocated_vector& operator=(const preallocated_vector&) = delete;

    ~preallocated_vector() { std::destroy(first_, last_); }

    void push_back(const T& value) noexcept {
        if (last_ == limit_) [[unlikely]] {
            std::abort(); // the caller's memory has room for all elements
        }
        this->append(value);
    }

    static void shrink_to_fit() noexcept {}
};

} // namespace bench
