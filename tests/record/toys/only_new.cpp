// A library that needs operator new and no other function of C++, so that nothing brings the standard library along.
#include <cstddef>
#include <cstdint>
#include <new>

static volatile std::size_t huge = SIZE_MAX / 4;
static const std::nothrow_t nothrow_of_its_own{};

extern "C" int gives_null() {
    void* volatile const block = ::operator new(huge, nothrow_of_its_own);
    return block == nullptr ? 1 : 0;
}

extern "C" int fails() {
    void* volatile const block = ::operator new(huge);
    return block == nullptr ? 1 : 0;
}
