/// Memory for the arrays of a writer or a reader that grow to many megabytes and are read at random: contexts, events, tables.
///
/// Data model: an array of a mebibyte and more begins at a huge page and asks the system for such. So it costs one fault for two
/// mebibytes instead of 512, and its addresses stay in the processor's table of pages.
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
    template <typename Other>
    large_memory(const large_memory<Other>&) noexcept {} // NOLINT: as the standard's allocators

    /// Throws: std::bad_alloc.
    T* allocate(std::size_t count) {
        const std::size_t bytes = count * sizeof(T);
        if (bytes < least_bytes) {
            return static_cast<T*>(::operator new(bytes));
        }
        const std::size_t whole = (bytes + huge_page - 1) / huge_page * huge_page;
        void* const made = std::aligned_alloc(huge_page, whole);
        if (made == nullptr) {
            throw std::bad_alloc();
        }
        // A system without huge pages refuses, and gives usual ones.
        (void)::madvise(made, whole, MADV_HUGEPAGE);
        return static_cast<T*>(made);
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
