#include "recorder/code/code_objects.hpp"

#include <dlfcn.h>
#include <link.h>

#include <array>
#include <atomic>

// In glibc since 2.35. Without it the recorder cannot unwind (recorder_stacks_available).
// NOLINTNEXTLINE(readability-redundant-declaration): glibc's own declaration is not weak
extern "C" __attribute__((weak)) int _dl_find_object(void*, dl_find_object*) noexcept;

namespace mallard::recorder::unwind {

namespace {

// A compiler at run time registers a section for each module, so a few hundred is a lot.
constexpr unsigned most_sections = 4096;

// The length of a registered section is unknown. A zero word ends it.
constexpr std::uint64_t unknown_length = std::uint64_t{1} << 40;

/// A section, and the address range of its functions. Another thread may remove a section and free its memory. So a thread reads
/// a section only if it covers the address looked up: code that is on a thread's stack keeps its section alive.
struct registered_section {
    std::atomic<const void*> owner{
        nullptr}; ///< key by which the program removes it; null if the entry is free
    std::atomic<const std::uint8_t*> section{nullptr};
    std::atomic<address> begin{0};
    std::atomic<address> end{0};

    /// Returns: true if the section covers `pc`.
    [[nodiscard]] bool covers(address pc) const noexcept {
        return begin.load(std::memory_order_relaxed) <= pc && pc < end.load(std::memory_order_relaxed);
    }
};

std::array<registered_section, most_sections> sections;
std::atomic<unsigned> section_limit{0};

bool in_registered_sections(address pc, frame_description& result) noexcept {
    const unsigned count = section_limit.load(std::memory_order_acquire);
    for (unsigned index = 0; index < count; ++index) {
        const std::uint8_t* const section = sections[index].section.load(std::memory_order_acquire);
        if (section == nullptr || !sections[index].covers(pc)) {
            continue;
        }
        // If the entry was reused meanwhile, the range may belong to another section.
        std::atomic_thread_fence(std::memory_order_acquire);
        if (section == sections[index].section.load(std::memory_order_relaxed) &&
            find_in_section(section, section + unknown_length, pc, result)) {
            return true;
        }
    }
    return false;
}

} // namespace

bool object_at(address pc, code_object& object) noexcept {
    dl_find_object result{};
    if (_dl_find_object == nullptr || _dl_find_object(reinterpret_cast<void*>(pc), &result) != 0) {
        return false;
    }
    object.begin = reinterpret_cast<address>(result.dlfo_map_start);
    object.end = reinterpret_cast<address>(result.dlfo_map_end);
    object.frame_header = static_cast<const std::uint8_t*>(result.dlfo_eh_frame);
    object.map = result.dlfo_link_map;
    return true;
}

bool in_loader(address pc) noexcept {
    code_object object;
    return object_at(pc, object) && object.begin <= _r_debug.r_ldbase && _r_debug.r_ldbase < object.end;
}

bool description_at(address pc, frame_description& result) noexcept {
    code_object object;
    if (!object_at(pc, object)) {
        return in_registered_sections(pc, result);
    }
    return object.frame_header != nullptr &&
           find_in_header(object.frame_header, reinterpret_cast<const std::uint8_t*>(object.end), pc, result);
}

void add_section(const std::uint8_t* section, const void* owner) noexcept {
    address begin = 0;
    address end = 0;
    section_range(section, section + unknown_length, begin, end);
    for (unsigned index = 0; index < most_sections; ++index) {
        registered_section& entry = sections[index];
        const void* expected = nullptr;
        if (!entry.owner.compare_exchange_strong(expected, owner)) {
            continue;
        }
        entry.begin.store(begin, std::memory_order_relaxed);
        entry.end.store(end, std::memory_order_relaxed);
        entry.section.store(section, std::memory_order_release);
        unsigned limit = section_limit.load();
        while (limit <= index && !section_limit.compare_exchange_weak(limit, index + 1)) {
        }
        return;
    }
}

void remove_sections(const void* owner) noexcept {
    const unsigned count = section_limit.load(std::memory_order_acquire);
    for (unsigned index = 0; index < count; ++index) {
        registered_section& entry = sections[index];
        if (entry.owner.load(std::memory_order_relaxed) != owner) {
            continue;
        }
        entry.section.store(nullptr, std::memory_order_relaxed);
        // A reader that sees the range of the next section also sees that this one was removed.
        std::atomic_thread_fence(std::memory_order_release);
        entry.begin.store(0, std::memory_order_relaxed);
        entry.end.store(0, std::memory_order_relaxed);
        entry.owner.store(nullptr, std::memory_order_release);
    }
}

} // namespace mallard::recorder::unwind

namespace mallard::recorder {

namespace {

std::uint64_t unload_count() noexcept {
    std::uint64_t count = 0;
    ::dl_iterate_phdr(
        [](dl_phdr_info* file, std::size_t, void* result) {
            *static_cast<std::uint64_t*>(result) = file->dlpi_subs;
            return 1; // all files have the same count
        },
        &count);
    return count;
}

} // namespace

void unloads::begin() noexcept {
    unwind::code_object loader;
    if (!unwind::object_at(_r_debug.r_brk, loader)) {
        return;
    }
    loader_ = loader.begin;
    loader_bytes_ = loader.end - loader.begin;
    seen_.store(unload_count(), std::memory_order_relaxed);
}

bool unloads::happened() noexcept {
    const std::uint64_t count = unload_count();
    return seen_.exchange(count, std::memory_order_relaxed) != count;
}

} // namespace mallard::recorder
