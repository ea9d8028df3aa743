// The library is the same for checked programs and others, and none of its code has the mechanisms of this header. In a unity
// build the file before this one has set the default.
#undef MALLARD_ALLOW_MISMATCH
#define MALLARD_ALLOW_MISMATCH 1
#include <mallard/bind/pooled.hpp>
#include <mallard/upstream/new_delete.hpp>

namespace mallard::bind { inline namespace MALLARD_LIBRARY {

void* global_heap::allocate(std::size_t bytes, std::size_t alignment) {
    return new_delete::allocate(bytes, alignment);
}

void* global_heap::try_allocate(std::size_t bytes, std::size_t alignment) noexcept {
    return new_delete::try_allocate(bytes, alignment);
}

void global_heap::deallocate(void* p, std::size_t bytes, std::size_t alignment) noexcept {
    new_delete::deallocate(p, bytes, alignment);
}

void global_heap::deallocate_of_any_size(void* p, std::size_t alignment) noexcept {
    if (alignment > __STDCPP_DEFAULT_NEW_ALIGNMENT__) {
        ::operator delete(p, std::align_val_t{alignment});
    } else {
        ::operator delete(p);
    }
}

}} // namespace mallard::bind::MALLARD_LIBRARY
