/// Memory for large arrays of a writer or a reader with random access: contexts, events, tables.
///
/// Data model: an array of a mebibyte or more begins at a huge page and requests huge pages. So it costs one fault for two
/// mebibytes instead of 512, and fewer entries of the TLB.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdlib>
#include <new>
#include <vector>

namespace mallard::trace {

template <typename T>
struct large_memory {
    using value_type = T;

    large_memory() noexcept = default;
    template <typename U>
    large_memory(const large_memory<U>&) noexcept {} // NOLINT: implicit, like the standard allocators

    /// Throws: std::bad_alloc.
    T* allocate(std::size_t count) {
        const std::size_t bytes = count * sizeof(T);
        if (bytes < least_bytes) {
            return static_cast<T*>(::operator new(bytes));
        }
        const std::size_t rounded = (bytes + huge_page - 1) / huge_page * huge_page;
        void* const memory = std::aligned_alloc(huge_page, rounded);
        if (memory == nullptr) {
            throw std::bad_alloc();
        }
        // Without huge pages the call fails, and the memory has normal ones.
        (void)::madvise(memory, rounded, MADV_HUGEPAGE);
        return static_cast<T*>(memory);
    }

    void deallocate(T* array, std::size_t count) noexcept {
        if (count * sizeof(T) < least_bytes) {
            ::operator delete(array);
        } else {
            std::free(array);
        }
    }

    friend bool operator==(const large_memory&, const large_memory&) noexcept { return true; }

private:
    static constexpr std::size_t huge_page = std::size_t{2} << 20;
    static constexpr std::size_t least_bytes = huge_page / 2;
};

template <typename T>
using large_vector = std::vector<T, large_memory<T>>;

} // namespace mallard::trace
