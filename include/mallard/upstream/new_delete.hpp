/// The global allocator as an upstream: operator new and operator delete. Behind resource<new_delete> it is
/// AS2 of P0089R1.
#pragma once

#include <mallard/core/alignment.hpp>
#include <mallard/core/concepts.hpp>

#include <cstddef>
#include <new>

namespace mallard {

class new_delete {
public:
    /// Throws: std::bad_alloc.
    [[nodiscard]] static void* allocate(std::size_t bytes, std::size_t alignment = fundamental_alignment) {
        if (alignment > __STDCPP_DEFAULT_NEW_ALIGNMENT__) {
            return ::operator new(bytes, std::align_val_t{alignment});
        }
        return ::operator new(bytes);
    }

    static void deallocate(void* p, std::size_t bytes,
                           std::size_t alignment = fundamental_alignment) noexcept {
        if (alignment > __STDCPP_DEFAULT_NEW_ALIGNMENT__) {
            ::operator delete(p, bytes, std::align_val_t{alignment});
        } else {
            ::operator delete(p, bytes);
        }
    }
};

static_assert(stateless_upstream<new_delete>);

} // namespace mallard
