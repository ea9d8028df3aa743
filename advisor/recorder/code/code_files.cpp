#include "recorder/code/code_files.hpp"

#include "recorder/code/note_segments.hpp"
#include "recorder/system/readable_range.hpp"

#include <link.h>

#include <cstring>

namespace mallard::recorder {

bool code_files::is_new(const unwind::code_object& file) noexcept {
    const unsigned count = next_.load(std::memory_order_acquire);
    for (unsigned index = 0; index < count && index < most; ++index) {
        if (begins_[index].load(std::memory_order_relaxed) == file.begin) {
            return false;
        }
    }
    begins_[next_.fetch_add(1, std::memory_order_acq_rel) % most].store(file.begin,
                                                                        std::memory_order_relaxed);
    return true;
}

void code_files::forget() noexcept {
    for (auto& begin : begins_) {
        begin.store(0, std::memory_order_relaxed);
    }
    next_.store(0, std::memory_order_release);
}

namespace {

using unwind::address;

constexpr std::size_t rounded_to_words(std::size_t bytes) noexcept {
    return (bytes + 3) / 4 * 4;
}

/// Finds the note with the build-id in a segment of notes.
void find_build_id(const std::byte* notes, std::size_t bytes, file_identity& result) noexcept {
    while (bytes >= sizeof(ElfW(Nhdr))) {
        ElfW(Nhdr) note;
        std::memcpy(&note, notes, sizeof note);
        const std::size_t name = rounded_to_words(note.n_namesz);
        const std::size_t note_bytes = sizeof note + name + rounded_to_words(note.n_descsz);
        if (note_bytes > bytes) {
            return;
        }
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
            std::memcmp(notes + sizeof note, "GNU", 4) == 0) {
            result.build_id = notes + sizeof note + name;
            result.build_id_bytes = note.n_descsz;
            return;
        }
        notes += note_bytes;
        bytes -= note_bytes;
    }
}

/// Finds the program headers behind the file's header, where nearly all files have them.
/// Returns: true if they are in the page of the header. Other pages of the file may be unreadable.
bool find_near_headers(address begin, dl_phdr_info& result) noexcept {
    constexpr std::size_t page_bytes = 4096;
    if (!unwind::page_is_readable(begin)) {
        return false;
    }
    ElfW(Ehdr) header;
    std::memcpy(&header, reinterpret_cast<const void*>(begin), sizeof header);
    if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_phentsize != sizeof(ElfW(Phdr)) ||
        header.e_phoff > page_bytes || header.e_phoff % alignof(ElfW(Phdr)) != 0 ||
        header.e_phnum > (page_bytes - header.e_phoff) / sizeof(ElfW(Phdr))) {
        return false;
    }
    result.dlpi_phdr = reinterpret_cast<const ElfW(Phdr)*>(begin + header.e_phoff);
    result.dlpi_phnum = header.e_phnum;
    return true;
}

/// Asks the loader, which has a copy of headers that no segment loads. The loader takes a lock, which an exited thread may hold
/// in the child of a fork, so this is the second choice.
/// Returns: true if the loader knows the file.
bool find_far_headers(const char* path, dl_phdr_info& result) noexcept {
    result.dlpi_name = path;
    return ::dl_iterate_phdr(
               [](dl_phdr_info* object, std::size_t, void* argument) {
                   auto& file = *static_cast<dl_phdr_info*>(argument);
                   if (object->dlpi_addr != file.dlpi_addr || object->dlpi_name != file.dlpi_name) {
                       return 0;
                   }
                   file.dlpi_phdr = object->dlpi_phdr;
                   file.dlpi_phnum = object->dlpi_phnum;
                   return 1;
               },
               &result) != 0;
}

} // namespace

file_identity file_identity::read(const unwind::code_object& file) noexcept {
    file_identity identity;
    identity.path = file.map != nullptr && file.map->l_name != nullptr ? file.map->l_name : "";
    identity.path_bytes = std::strlen(identity.path);
    identity.load_address = file.map != nullptr ? file.map->l_addr : file.begin;
    dl_phdr_info headers{};
    headers.dlpi_addr = identity.load_address;
    if (find_near_headers(file.begin, headers) || find_far_headers(identity.path, headers)) {
        visit_notes(headers, [&](const std::byte* notes, std::size_t bytes) {
            if (identity.build_id == nullptr) {
                find_build_id(notes, bytes, identity);
            }
        });
    }
    return identity;
}

} // namespace mallard::recorder
