#include "recorder/code/code_objects.hpp"

#include <dlfcn.h>
#include <link.h>

#include <array>
#include <atomic>

// In glibc since 2.35. Without it the program's stacks are not known (recorder_stacks_available).
extern "C" __attribute__((weak)) int _dl_find_object(void*, dl_find_object*) noexcept;

namespace mallard::recorder::unwind {

namespace {

// A compiler at run time registers a section for each module, so a few hundred are many.
constexpr unsigned most_sections = 4096;

// Nothing says how long a registered section is. It ends with a zero word.
constexpr std::uint64_t unknown_length = std::uint64_t{1} << 40;

/// A section, and the addresses of its functions. Another thread may remove a section, and its memory goes then. So a thread reads
/// only a section that has the address which the thread looks for: code through which a thread goes stays with its section.
struct registered {
    std::atomic<const void*> owner{
        nullptr}; ///< as the program names it to remove it; null if the place is free
    std::atomic<const std::uint8_t*> section{nullptr};
    std::atomic<address> begin{0};
    std::atomic<address> end{0};

    /// Returns: true if the section has `pc`.
    [[nodiscard]] bool has(address pc) const noexcept {
        return begin.load(std::memory_order_relaxed) <= pc && pc < end.load(std::memory_order_relaxed);
    }
};

std::array<registered, most_sections> sections;
std::atomic<unsigned> section_limit{0};

bool in_registered_sections(address pc, frame_description& found) noexcept {
    const unsigned count = section_limit.load(std::memory_order_acquire);
    for (unsigned each = 0; each < count; ++each) {
        const std::uint8_t* const section = sections[each].section.load(std::memory_order_acquire);
        if (section == nullptr || !sections[each].has(pc)) {
            continue;
        }
        // The range is another section's if the place has changed its section meanwhile.
        std::atomic_thread_fence(std::memory_order_acquire);
        if (section == sections[each].section.load(std::memory_order_relaxed) &&
            find_in_section(section, section + unknown_length, pc, found)) {
            return true;
        }
    }
    return false;
}

} // namespace

bool object_at(address pc, code_object& found) noexcept {
    dl_find_object result{};
    if (_dl_find_object == nullptr || _dl_find_object(reinterpret_cast<void*>(pc), &result) != 0) {
        return false;
    }
    found.begin = reinterpret_cast<address>(result.dlfo_map_start);
    found.end = reinterpret_cast<address>(result.dlfo_map_end);
    found.frame_header = static_cast<const std::uint8_t*>(result.dlfo_eh_frame);
    found.map = result.dlfo_link_map;
    return true;
}

bool in_loader(address pc) noexcept {
    code_object object;
    return object_at(pc, object) && object.begin <= _r_debug.r_ldbase && _r_debug.r_ldbase < object.end;
}

bool description_at(address pc, frame_description& found) noexcept {
    code_object object;
    if (!object_at(pc, object)) {
        return in_registered_sections(pc, found);
    }
    return object.frame_header != nullptr &&
           find_in_header(object.frame_header, reinterpret_cast<const std::uint8_t*>(object.end), pc, found);
}

void add_section(const std::uint8_t* section, const void* owner) noexcept {
    address begin = 0;
    address end = 0;
    range_of_section(section, section + unknown_length, begin, end);
    for (unsigned each = 0; each < most_sections; ++each) {
        registered& place = sections[each];
        const void* expected = nullptr;
        if (!place.owner.compare_exchange_strong(expected, owner)) {
            continue;
        }
        place.begin.store(begin, std::memory_order_relaxed);
        place.end.store(end, std::memory_order_relaxed);
        place.section.store(section, std::memory_order_release);
        unsigned limit = section_limit.load();
        while (limit <= each && !section_limit.compare_exchange_weak(limit, each + 1)) {
        }
        return;
    }
}

void remove_sections(const void* owner) noexcept {
    const unsigned count = section_limit.load(std::memory_order_acquire);
    for (unsigned each = 0; each < count; ++each) {
        registered& place = sections[each];
        if (place.owner.load(std::memory_order_relaxed) != owner) {
            continue;
        }
        place.section.store(nullptr, std::memory_order_relaxed);
        // A reader that sees the range of the next section sees that this one has gone.
        std::atomic_thread_fence(std::memory_order_release);
        place.begin.store(0, std::memory_order_relaxed);
        place.end.store(0, std::memory_order_relaxed);
        place.owner.store(nullptr, std::memory_order_release);
    }
}

} // namespace mallard::recorder::unwind
