// Calls each operator new and operator delete, including failing requests, and prints the result of each call. In a trace, the
// size identifies the call.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <new>

namespace {

volatile std::size_t huge = SIZE_MAX / 4;
int handler_calls = 0;
constexpr std::align_val_t wide{256};

void second_handler() {
    ++handler_calls;
    std::set_new_handler(nullptr);
}

void first_handler() {
    ++handler_calls;
    std::set_new_handler(second_handler);
}

void* report(const char* name, void* block, std::size_t alignment = 16) {
    std::printf("%s: %s, aligned %d\n", name, block == nullptr ? "null" : "block",
                reinterpret_cast<std::uintptr_t>(block) % alignment == 0);
    return block;
}

template <typename Allocate>
void fails(const char* name, Allocate allocate) {
    handler_calls = 0;
    std::set_new_handler(first_handler);
    try {
        void* volatile const block = allocate();
        std::printf("%s: %s, handlers %d\n", name, block == nullptr ? "null" : "block", handler_calls);
    } catch (const std::bad_alloc& error) {
        std::printf("%s: %s, handlers %d\n", name, error.what(), handler_calls);
    }
    std::set_new_handler(nullptr);
}

void successful_calls() {
    operator delete(report("new", operator new(2001)));
    operator delete[](report("new[]", operator new[](2002)));
    operator delete(report("new nothrow", operator new(2003, std::nothrow)), std::nothrow);
    operator delete[](report("new[] nothrow", operator new[](2004, std::nothrow)), std::nothrow);
    operator delete(report("new aligned", operator new(2005, wide), 256), wide);
    operator delete[](report("new[] aligned", operator new[](2006, wide), 256), wide);
    operator delete(report("new aligned nothrow", operator new(2007, wide, std::nothrow), 256), wide,
                    std::nothrow);
    operator delete[](report("new[] aligned nothrow", operator new[](2008, wide, std::nothrow), 256), wide,
                      std::nothrow);
    operator delete(report("sized", operator new(2009)), 2009);
    operator delete[](report("sized []", operator new[](2010)), 2010);
    operator delete(report("sized aligned", operator new(2011, wide), 256), 2011, wide);
    operator delete[](report("sized [] aligned", operator new[](2012, wide), 256), 2012, wide);
    operator delete(report("new of 0", operator new(0)));
    operator delete(nullptr);
}

} // namespace

int main() {
    static char buffer[1 << 16];
    std::setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
    successful_calls();
    fails("new", [] { return operator new(huge); });
    fails("new[]", [] { return operator new[](huge); });
    fails("new nothrow", [] { return operator new(huge, std::nothrow); });
    fails("new[] nothrow", [] { return operator new[](huge, std::nothrow); });
    fails("new aligned", [] { return operator new(huge, wide); });
    fails("new[] aligned", [] { return operator new[](huge, wide); });
    fails("new aligned nothrow", [] { return operator new(huge, wide, std::nothrow); });
    fails("new[] aligned nothrow", [] { return operator new[](huge, wide, std::nothrow); });
}
