#include "recorder/interpose/next_operator.hpp"

#include <dlfcn.h>

#include <array>
#include <cstring>

namespace mallard::recorder {

namespace {

constexpr std::array<const char*, 12> names{
    "_Znwm",
    "_Znam",
    "_ZnwmRKSt9nothrow_t",
    "_ZnamRKSt9nothrow_t",
    "_ZnwmSt11align_val_t",
    "_ZnamSt11align_val_t",
    "_ZnwmSt11align_val_tRKSt9nothrow_t",
    "_ZnamSt11align_val_tRKSt9nothrow_t",
    "_ZdlPv",
    "_ZdaPv",
    "_ZdlPvSt11align_val_t",
    "_ZdaPvSt11align_val_t",
};

bool is_standard_library(const char* path) noexcept {
    const char* const slash = std::strrchr(path, '/');
    const char* const name = slash == nullptr ? path : slash + 1;
    return std::strncmp(name, "libstdc++", 9) == 0 || std::strncmp(name, "libc++", 6) == 0;
}

} // namespace

void* next_operator(operator_name which) noexcept {
    static constinit std::array<std::atomic<void*>, names.size()> found{};
    std::atomic<void*>& place = found[static_cast<std::size_t>(which)];
    void* function = place.load(std::memory_order_relaxed);
    if (function == nullptr) [[unlikely]] {
        function = ::dlsym(RTLD_NEXT, names[static_cast<std::size_t>(which)]);
        place.store(function, std::memory_order_relaxed);
    }
    return function;
}

constinit std::atomic<operators> known_operators{operators::not_known};

operators look_at_operators() noexcept {
    void* const next = next_operator(operator_name::new_object);
    Dl_info where{};
    const bool foreign = next != nullptr && ::dladdr(next, &where) != 0 && where.dli_fname != nullptr &&
                         !is_standard_library(where.dli_fname);
    const operators found = foreign ? operators::of_a_library : operators::usual;
    known_operators.store(found, std::memory_order_relaxed);
    return found;
}

} // namespace mallard::recorder
