#include "recorder/interpose/next_functions.hpp"

#include "recorder/code/code_objects.hpp"
#include "recorder/interpose/dynamic_section.hpp"
#include "recorder/interpose/interposed.hpp"

#include <dlfcn.h>
#include <link.h>
#include <sched.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace mallard::recorder {

namespace {

// dlsym may allocate. Before malloc is found, the memory comes from here: a few hundred bytes.
constexpr std::size_t early_bytes = 65'536;
alignas(64) constinit std::byte early[early_bytes]{};
constinit std::atomic<std::size_t> early_used{0};

/// The library was loaded into a running program.
constinit bool is_attached_library = false;

constinit next_allocator resolved{};
constinit std::atomic<int> state{0}; // 0: not resolved; 1: resolving; 2: resolved
__thread bool resolving [[gnu::tls_model("initial-exec")]] = false;

void* early_memory(std::size_t alignment, std::size_t bytes) noexcept {
    if (alignment < alignof(std::max_align_t)) {
        alignment = alignof(std::max_align_t);
    }
    if (bytes > early_bytes || alignment > 64) {
        errno = ENOMEM;
        return nullptr;
    }
    const std::size_t rounded = (bytes + 63) / 64 * 64;
    const std::size_t at = early_used.fetch_add(rounded, std::memory_order_relaxed);
    if (at + rounded > early_bytes) {
        errno = ENOMEM;
        return nullptr;
    }
    return early + at;
}

constinit const next_allocator early_allocator{
    [](std::size_t bytes) { return early_memory(1, bytes); },
    [](std::size_t count, std::size_t bytes) {
        std::size_t all = 0;
        return __builtin_mul_overflow(count, bytes, &all) ? nullptr : early_memory(1, all); // fresh, so zero
    },
    [](void* old, std::size_t bytes) {
        void* const block = early_memory(1, bytes);
        if (old != nullptr && block != nullptr) {
            const auto behind = static_cast<std::size_t>(early + early_bytes - static_cast<std::byte*>(old));
            std::memcpy(block, old, bytes < behind ? bytes : behind);
        }
        return block;
    },
    [](void*) {},
    [](std::size_t alignment, std::size_t bytes) { return early_memory(alignment, bytes); },
    [](std::size_t alignment, std::size_t bytes) { return early_memory(alignment, bytes); },
    [](void** block, std::size_t alignment, std::size_t bytes) {
        *block = early_memory(alignment, bytes);
        return *block == nullptr ? ENOMEM : 0;
    },
    [](std::size_t bytes) { return early_memory(64, bytes); },
    [](std::size_t bytes) { return early_memory(64, bytes); },
};

template <typename Function>
void resolve(Function& function, const char* name) noexcept {
    function = next_function<Function>(name);
}

void find_allocator() noexcept {
    resolve(resolved.malloc, "malloc");
    resolve(resolved.calloc, "calloc");
    resolve(resolved.realloc, "realloc");
    resolve(resolved.free, "free");
    resolve(resolved.memalign, "memalign");
    resolve(resolved.aligned_alloc, "aligned_alloc");
    resolve(resolved.posix_memalign, "posix_memalign");
    resolve(resolved.valloc, "valloc");
    resolve(resolved.pvalloc, "pvalloc");
    resolve(resolved.malloc_trim, "malloc_trim");
    resolve(resolved.mallinfo, "mallinfo");
    resolve(resolved.mallinfo2, "mallinfo2");
    resolve(resolved.mallopt, "mallopt");
}

[[gnu::noinline]] const next_allocator& resolve_all() noexcept {
    if (resolving) {
        return early_allocator;
    }
    int expected = 0;
    if (!state.compare_exchange_strong(expected, 1)) {
        while (state.load(std::memory_order_acquire) != 2) {
            ::sched_yield();
        }
        return resolved;
    }
    resolving = true;
    find_allocator();
    resolving = false;
    state.store(2, std::memory_order_release);
    return resolved;
}

// dlsym needs more stack than a signal handler may have. Most programs have allocated before their first signal. The operators of
// a library that the program loads for itself alone are in its files, but dlsym does not find them.
[[gnu::constructor]] void resolve_early() {
    next();
    find_operators();
}

} // namespace

const next_allocator& next() noexcept {
    return state.load(std::memory_order_acquire) == 2 ? resolved : resolve_all();
}

bool is_own_function(const void* function) noexcept {
    unwind::code_object own;
    const auto pc = reinterpret_cast<unwind::address>(function);
    return unwind::object_at(reinterpret_cast<unwind::address>(&early), own) && own.begin <= pc &&
           pc < own.end;
}

namespace {

struct file_search {
    const char* name;
    unwind::address function = 0;
};

/// Searches the files behind the program, in the order in which they were loaded, for one that defines the function itself. A
/// handle of a file would keep it loaded, and run its destructors here if the program closes it meanwhile.
void* find_in_files(const char* name) noexcept {
    file_search search{name};
    ::dl_iterate_phdr(
        [](dl_phdr_info* file, std::size_t, void* argument) {
            auto& current = *static_cast<file_search*>(argument);
            if (file->dlpi_name == nullptr || std::strchr(file->dlpi_name, '/') == nullptr) {
                return 0; // the program, or the kernel's own file
            }
            for (unsigned index = 0; index < file->dlpi_phnum; ++index) {
                const ElfW(Phdr)& segment = file->dlpi_phdr[index];
                if (segment.p_type == PT_DYNAMIC) {
                    const auto* const dynamic =
                        reinterpret_cast<const ElfW(Dyn)*>(file->dlpi_addr + segment.p_vaddr);
                    current.function =
                        dynamic_section(dynamic, file->dlpi_addr).find(current.name, file->dlpi_addr);
                }
            }
            if (is_own_function(reinterpret_cast<const void*>(current.function))) {
                current.function = 0;
            }
            return current.function == 0 ? 0 : 1;
        },
        &search);
    return reinterpret_cast<void*>(search.function);
}

} // namespace

void* find_next_function(const char* name) noexcept {
    void* const function = is_attached_library ? find_in_files(name) : ::dlsym(RTLD_NEXT, name);
    if (function == nullptr) {
        ::dlerror(); // or the program would see an error of the recorder
    }
    return function;
}

bool is_early(const void* block) noexcept {
    const auto offset = reinterpret_cast<std::uintptr_t>(block) - reinterpret_cast<std::uintptr_t>(early);
    return offset < early_bytes;
}

namespace {

constexpr std::array<const char*, next_operators.size()> names{
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
    if (::dladdr(function, &info) == 0 || ::dladdr(static_cast<const void*>(names.data()), &own) == 0 ||
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

constinit std::array<std::atomic<void*>, 12> next_operators{};

void* find_operator(operator_name name, const void* caller) noexcept {
    const char* const symbol = names[static_cast<std::size_t>(name)];
    void* function = next_function<void*>(symbol);
    if (function == nullptr) {
        function = function_near(caller, symbol);
        ::dlerror();
    }
    next_operators[static_cast<std::size_t>(name)].store(function, std::memory_order_relaxed);
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
    // A dlsym that fails allocates its message, which would be a block of the program.
    const char* const name = names[static_cast<std::size_t>(operator_name::new_object)];
    const void* const next = find_in_files(name) == nullptr ? nullptr : next_function<void*>(name);
    const bool foreign = next != nullptr && !is_in_standard_library(next);
    const operators current = foreign ? operators::of_a_library : operators::standard;
    known_operators.store(current, std::memory_order_relaxed);
    return current;
}

void become_attached() noexcept {
    is_attached_library = true;
    find_allocator();
    state.store(2, std::memory_order_release);
    find_program_functions();
    // Not at the first call of a thread of the program: it may hold a lock that another thread needs inside of dlopen.
    find_operators();
    for (std::size_t index = 0; index < names.size(); ++index) {
        next_operators[index].store(next_function<void*>(names[index]), std::memory_order_relaxed);
    }
}

} // namespace mallard::recorder
