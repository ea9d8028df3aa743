// A library that needs operator new and no other function of C++, so that it does not depend on the standard library.
#include <cstddef>
#include <cstdint>
#include <new>

static volatile std::size_t huge = SIZE_MAX / 4;
static const std::nothrow_t own_nothrow{};

extern "C" int gives_null() {
    void* volatile const block = ::operator new(huge, own_nothrow);
    return block == nullptr ? 1 : 0;
}

extern "C" int fails() {
    void* volatile const block = ::operator new(huge);
    return block == nullptr ? 1 : 0;
}
