/// The global allocator as an upstream: operator new and operator delete. Behind resource<new_delete> it is AS2
/// of P0089R1.
#pragma once

#include <mallard/core/alignment.hpp>
#include <mallard/core/build_mode.hpp>
#include <mallard/core/concepts.hpp>
#include <mallard/core/failure.hpp>
#include <mallard/core/sanitizer.hpp>
#include <mallard/core/thread_safe.hpp>
#include <mallard/core/utility.hpp>

#include <cstddef>
#include <cstdint>
#include <new>

namespace mallard { inline namespace MALLARD_MODE {

class new_delete {
public:
    using source_type = core::global_heap; ///< the same in every mode (bind/resource.hpp)

    /// Throws: std::bad_alloc, after the out-of-memory handler has run.
    [[nodiscard]] static void* allocate(std::size_t bytes, std::size_t alignment = fundamental_alignment) {
// AddressSanitizer's operator new ends the program if it has no memory, unless it must not throw.
#if defined(__cpp_exceptions) && !defined(MALLARD_ASAN)
        if (!has_representation(bytes, alignment)) {
            core::fail_allocation(bytes, alignment);
        }
        try {
            return take(bytes, alignment);
        } catch (const std::bad_alloc&) {
            core::fail_allocation(bytes, alignment);
        }
#else
        void* p = try_allocate(bytes, alignment);
        if (p == nullptr) {
            core::fail_allocation(bytes, alignment);
        }
        return p;
#endif
    }

    /// Returns: a block of `bytes` bytes; null if there is no memory. The out-of-memory handler is not called.
    [[nodiscard]] static void* try_allocate(std::size_t bytes,
                                            std::size_t alignment = fundamental_alignment) noexcept {
        return has_representation(bytes, alignment) ? take(bytes, alignment, std::nothrow) : nullptr;
    }

    /// Requires: `p` came from allocate(bytes, alignment) and was not deallocated since.
    static void deallocate(void* p, std::size_t bytes,
                           std::size_t alignment = fundamental_alignment) noexcept {
        const std::size_t total = total_bytes(bytes, alignment);
        core::unpoison(p, total);
        // clang++ before 19 has sized deallocation only on request.
#ifdef __cpp_sized_deallocation
        if (alignment > __STDCPP_DEFAULT_NEW_ALIGNMENT__) {
            ::operator delete(p, total, std::align_val_t{alignment});
        } else {
            ::operator delete(p, total);
        }
#else
        if (alignment > __STDCPP_DEFAULT_NEW_ALIGNMENT__) {
            ::operator delete(p, std::align_val_t{alignment});
        } else {
            ::operator delete(p);
        }
#endif
    }

private:
    /// Some operators new round a size up to the alignment, and the largest sizes past zero.
    [[nodiscard]] static constexpr bool has_representation(std::size_t bytes,
                                                           std::size_t alignment) noexcept {
        constexpr auto most_bytes = static_cast<std::size_t>(PTRDIFF_MAX);
        return alignment <= most_bytes && bytes <= most_bytes - alignment;
    }

    /// Returns: the size of the request to operator new. Without an alignment it need align a block no better
    /// than objects of that size demand: 8 bytes at multiples of 8.
    [[nodiscard]] static constexpr std::size_t total_bytes(std::size_t bytes,
                                                           std::size_t alignment) noexcept {
        return alignment > __STDCPP_DEFAULT_NEW_ALIGNMENT__
                   ? bytes
                   : core::align_up(core::max<std::size_t>(bytes, 1), alignment);
    }

    /// `nothrow` is empty or std::nothrow.
    template <class... Nothrow>
    static void* take(std::size_t bytes, std::size_t alignment, const Nothrow&... nothrow) {
        const std::size_t total = total_bytes(bytes, alignment);
        void* const p = alignment > __STDCPP_DEFAULT_NEW_ALIGNMENT__
                            ? ::operator new(total, std::align_val_t{alignment}, nothrow...)
                            : ::operator new(total, nothrow...);
        if (p != nullptr) {
            core::poison(static_cast<std::byte*>(p) + bytes, total - bytes);
        }
        return p;
    }
};

template <>
inline constexpr bool thread_safe<new_delete> = true;

static_assert(stateless_upstream<new_delete>);

}} // namespace mallard::MALLARD_MODE
