#include "recorder/interpose/next_operator.hpp"

#include "recorder/interpose/interposed.hpp"

#include <unistd.h>

#include <array>
#include <cstdlib>
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

bool is_of_standard_library(const void* function) noexcept {
    Dl_info where{};
    return ::dladdr(function, &where) != 0 && where.dli_fname != nullptr &&
           is_standard_library(where.dli_fname);
}

/// Returns: true if the file of the function is loaded, is not the recorder's, and stays loaded.
bool is_kept(const void* function) noexcept {
    Dl_info where{};
    Dl_info own{};
    if (::dladdr(function, &where) == 0 || ::dladdr(names.data(), &own) == 0 ||
        where.dli_fbase == own.dli_fbase) {
        return false;
    }
    void* const file = ::dlopen(where.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
    return file != nullptr && ::dlclose(file) == 0;
}

/// Returns: the function of the library or of those that it needs; null if it is not loaded, or has none.
void* function_of(const char* library, const char* name) noexcept {
    void* const loaded = ::dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
    if (loaded == nullptr) {
        return nullptr;
    }
    void* const function = ::dlsym(loaded, name);
    const bool usable = function != nullptr && is_kept(function);
    ::dlclose(loaded);
    return usable ? function : nullptr;
}

// An exception of another standard library than the caller's could not be caught there.
void* function_near(const void* caller, const char* name) noexcept {
    Dl_info where{};
    const bool is_in_file = ::dladdr(caller, &where) != 0 && where.dli_fname != nullptr;
    void* const near = is_in_file ? function_of(where.dli_fname, name) : nullptr;
    if (near != nullptr && is_of_standard_library(near)) {
        return near;
    }
    for (const char* const library : {"libstdc++.so.6", "libc++abi.so.1", "libc++.so.1"}) {
        if (void* const function = function_of(library, name)) {
            return function;
        }
    }
    return near;
}

} // namespace

void* next_operator(operator_name which, const void* caller) noexcept {
    static constinit std::array<std::atomic<void*>, names.size()> found{};
    std::atomic<void*>& place = found[static_cast<std::size_t>(which)];
    void* function = place.load(std::memory_order_relaxed);
    if (function == nullptr) [[unlikely]] {
        const char* const name = names[static_cast<std::size_t>(which)];
        function = next_function<void*>(name);
        if (function == nullptr) {
            function = function_near(caller, name);
            ::dlerror();
        }
        place.store(function, std::memory_order_relaxed);
    }
    return function;
}

void* no_operator(operator_name which) noexcept {
    using enum operator_name;
    if (which == new_object_nothrow || which == new_array_nothrow || which == new_object_aligned_nothrow ||
        which == new_array_aligned_nothrow) {
        return nullptr;
    }
    constexpr const char* text =
        "mallard: there is no memory for an operator new, and no library of the program has one that "
        "throws std::bad_alloc\n";
    static_cast<void>(!::write(STDERR_FILENO, text, std::strlen(text)));
    std::abort();
}

__thread const void* deleted_by_library = nullptr;

constinit std::atomic<operators> known_operators{operators::not_known};

operators look_at_operators() noexcept {
    const void* const next = next_function<void*>(names[static_cast<std::size_t>(operator_name::new_object)]);
    const bool foreign = next != nullptr && !is_of_standard_library(next);
    const operators found = foreign ? operators::of_a_library : operators::usual;
    known_operators.store(found, std::memory_order_relaxed);
    return found;
}

} // namespace mallard::recorder
