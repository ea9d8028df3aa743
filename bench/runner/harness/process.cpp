#include "runner/harness/process.hpp"

#include "runner/harness/build_info.hpp"

#include <dlfcn.h>
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <new>
#include <string_view>
#include <utility>

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace bench {

bool pin_to(int cpu) noexcept {
    cpu_set_t set;
    CPU_ZERO(&set);
    if (cpu < 0 || cpu >= CPU_SETSIZE) {
        return false;
    }
    CPU_SET(static_cast<std::size_t>(cpu), &set);
    return sched_setaffinity(0, sizeof set, &set) == 0;
}

std::int64_t peak_rss_bytes() noexcept {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return std::int64_t{usage.ru_maxrss} * 1024;
}

std::int64_t resident_bytes() {
    std::ifstream statm("/proc/self/statm");
    std::int64_t all_pages = 0;
    std::int64_t resident_pages = 0;
    statm >> all_pages >> resident_pages;
    return resident_pages * sysconf(_SC_PAGESIZE);
}

double load_average() noexcept {
    double load = 0;
    return getloadavg(&load, 1) == 1 ? load : -1;
}

std::size_t available_memory_bytes() {
    std::ifstream info("/proc/meminfo");
    std::string key;
    std::size_t kibibytes = 0;
    for (std::string unit; info >> key >> kibibytes; std::getline(info, unit)) {
        if (key == "MemAvailable:") {
            return kibibytes << 10;
        }
    }
    return SIZE_MAX;
}

void expect_room(std::size_t bytes, std::vector<std::string>& notes) {
    const std::size_t room = available_memory_bytes() / 100 * 95;
    if (bytes > room) {
        notes.push_back("not tried: it takes " + std::to_string(bytes) + " bytes of memory, and " +
                        std::to_string(room) + " are free");
        throw std::bad_alloc();
    }
}

std::string program_fingerprint() {
    std::ifstream self("/proc/self/exe", std::ios::binary);
    std::uint64_t hash = 14695981039346656037ULL; // FNV-1a
    for (char block[4096]; self.read(block, sizeof block) || self.gcount() != 0;) {
        for (const char c : std::string_view(block, static_cast<std::size_t>(self.gcount()))) {
            hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
        }
    }
    char text[17];
    std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash));
    return text;
}

bool keep_freed_pages() noexcept {
#ifdef __GLIBC__
    constexpr int largest_threshold = 32 << 20; // larger blocks are mapped, and given back
    return mallopt(M_TRIM_THRESHOLD, -1) == 1 && mallopt(M_MMAP_THRESHOLD, largest_threshold) == 1;
#else
    return false;
#endif
}

std::string_view malloc_in_use() noexcept {
    constexpr std::pair<const char*, std::string_view> signs[] = {
        {"mallctl", "jemalloc"},
        {"mi_version", "mimalloc"},
        {"tc_version", "tcmalloc"},
        {"MallocExtension_GetNumericProperty", "tcmalloc"},
    };
    for (const auto& [function, name] : signs) {
        if (dlsym(RTLD_DEFAULT, function) != nullptr) {
            return name;
        }
    }
    // Another preloaded library is named by its file.
    Dl_info library;
    if (dladdr(dlsym(RTLD_DEFAULT, "malloc"), &library) != 0) {
        const std::string_view file = library.dli_fname;
        const std::string_view name = file.substr(file.rfind('/') + 1);
        if (name.find(".so") != std::string_view::npos && !name.starts_with("libc.so") &&
            !name.starts_with("libc-")) {
            return name;
        }
    }
#ifdef __GLIBC__
    return "glibc";
#else
    return "unknown";
#endif
}

bool build_is_optimised() noexcept {
#ifdef __OPTIMIZE__
    return std::string_view(this_build.sanitizers).empty();
#else
    return false;
#endif
}

} // namespace bench
