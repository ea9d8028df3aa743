// A library in C++ that a program in C loads. Each function returns 1 if operator new behaves as required.
#include <cstddef>
#include <cstdint>
#include <new>

namespace {

std::size_t too_much = SIZE_MAX / 2;
int handler_calls = 0;

void count_and_reset() {
    ++handler_calls;
    std::set_new_handler(nullptr);
}

template <typename Allocate>
int throws(Allocate allocate) {
    try {
        static_cast<void>(allocate());
    } catch (const std::bad_alloc&) {
        return 1;
    }
    return 0;
}

} // namespace

extern "C" int works() {
    int* volatile block = new int(1);
    const int value = *block;
    delete block;
    return value;
}

extern "C" int fails() {
    void* volatile block = nullptr;
    const int thrown = throws([&] { return block = ::operator new(too_much); }) +
                       throws([&] { return block = ::operator new[](too_much); }) +
                       throws([&] { return block = ::operator new(too_much, std::align_val_t{128}); }) +
                       throws([&] { return block = ::operator new[](too_much, std::align_val_t{128}); });
    return thrown == 4 && block == nullptr ? 1 : 0;
}

extern "C" int gives_null() {
    const bool null = ::operator new(too_much, std::nothrow) ==
                      nullptr&& ::operator new[](too_much, std::nothrow) ==
                      nullptr&& ::operator new(too_much, std::align_val_t{128}, std::nothrow) ==
                      nullptr&& ::operator new[](too_much, std::align_val_t{128}, std::nothrow) == nullptr;
    return null ? 1 : 0;
}

extern "C" int asks_the_handler() {
    std::set_new_handler(count_and_reset);
    return throws([] { return ::operator new(too_much); }) == 1 && handler_calls == 1 ? 1 : 0;
}
