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

bool is_in_standard_library(const void* function) noexcept {
    Dl_info info{};
    return ::dladdr(function, &info) != 0 && info.dli_fname != nullptr && is_standard_library(info.dli_fname);
}

/// Returns: true if the function's file is loaded, is not the recorder, and cannot be unloaded.
bool is_kept(const void* function) noexcept {
    Dl_info info{};
    Dl_info own{};
    if (::dladdr(function, &info) == 0 || ::dladdr(names.data(), &own) == 0 ||
        info.dli_fbase == own.dli_fbase) {
        return false;
    }
    void* const file = ::dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
    return file != nullptr && ::dlclose(file) == 0;
}

/// Returns: the function of the library or its dependencies; null if it is not loaded, or has none.
void* find_function(const char* library, const char* name) noexcept {
    void* const loaded = ::dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
    if (loaded == nullptr) {
        return nullptr;
    }
    void* const function = ::dlsym(loaded, name);
    const bool usable = function != nullptr && is_kept(function);
    ::dlclose(loaded);
    return usable ? function : nullptr;
}

// An exception from another standard library than the caller's could not be caught.
void* function_near(const void* caller, const char* name) noexcept {
    Dl_info info{};
    const bool is_in_file = ::dladdr(caller, &info) != 0 && info.dli_fname != nullptr;
    void* const near = is_in_file ? find_function(info.dli_fname, name) : nullptr;
    if (near != nullptr && is_in_standard_library(near)) {
        return near;
    }
    for (const char* const library : {"libstdc++.so.6", "libc++abi.so.1", "libc++.so.1"}) {
        if (void* const function = find_function(library, name)) {
            return function;
        }
    }
    return near;
}

} // namespace

void* next_operator(operator_name name, const void* caller) noexcept {
    static constinit std::array<std::atomic<void*>, names.size()> next_operators{};
    std::atomic<void*>& cached = next_operators[static_cast<std::size_t>(name)];
    void* function = cached.load(std::memory_order_relaxed);
    if (function == nullptr) [[unlikely]] {
        const char* const symbol = names[static_cast<std::size_t>(name)];
        function = next_function<void*>(symbol);
        if (function == nullptr) {
            function = function_near(caller, symbol);
            ::dlerror();
        }
        cached.store(function, std::memory_order_relaxed);
    }
    return function;
}

void* no_operator(operator_name name) noexcept {
    using enum operator_name;
    if (name == new_object_nothrow || name == new_array_nothrow || name == new_object_aligned_nothrow ||
        name == new_array_aligned_nothrow) {
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

operators find_operators() noexcept {
    const void* const next = next_function<void*>(names[static_cast<std::size_t>(operator_name::new_object)]);
    const bool foreign = next != nullptr && !is_in_standard_library(next);
    const operators current = foreign ? operators::of_a_library : operators::standard;
    known_operators.store(current, std::memory_order_relaxed);
    return current;
}

} // namespace mallard::recorder
