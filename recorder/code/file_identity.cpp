#include "recorder/code/file_identity.hpp"

#include "recorder/code/note_segments.hpp"
#include "recorder/unwind/readable_range.hpp"

#include <link.h>

#include <cstring>

namespace mallard::recorder {

namespace {

using unwind::address;

constexpr std::size_t rounded_to_words(std::size_t bytes) noexcept {
    return (bytes + 3) / 4 * 4;
}

/// Finds the note with the build-id in a segment of notes.
void find_build_id(const std::byte* notes, std::size_t bytes, file_identity& into) noexcept {
    while (bytes >= sizeof(ElfW(Nhdr))) {
        ElfW(Nhdr) note;
        std::memcpy(&note, notes, sizeof note);
        const std::size_t name = rounded_to_words(note.n_namesz);
        const std::size_t whole = sizeof note + name + rounded_to_words(note.n_descsz);
        if (whole > bytes) {
            return;
        }
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
            std::memcmp(notes + sizeof note, "GNU", 4) == 0) {
            into.build_id = notes + sizeof note + name;
            into.build_id_bytes = note.n_descsz;
            return;
        }
        notes += whole;
        bytes -= whole;
    }
}

/// Finds the program headers behind the file's header, where nearly every file has them.
/// Returns: true if they are in the page that has the header. Anything else in the file's memory is no evidence of a place that
/// can be read.
bool find_near_headers(address begin, dl_phdr_info& into) noexcept {
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
    into.dlpi_phdr = reinterpret_cast<const ElfW(Phdr)*>(begin + header.e_phoff);
    into.dlpi_phnum = header.e_phnum;
    return true;
}

/// Asks the loader, which keeps a copy of headers that no segment loads. It takes a lock, which a thread that is not there any
/// more may have in the child of a fork, so this comes second.
/// Returns: true if the loader knows the file.
bool find_far_headers(const char* path, dl_phdr_info& into) noexcept {
    into.dlpi_name = path;
    return ::dl_iterate_phdr(
               [](dl_phdr_info* each, std::size_t, void* found) {
                   auto& file = *static_cast<dl_phdr_info*>(found);
                   if (each->dlpi_addr != file.dlpi_addr || each->dlpi_name != file.dlpi_name) {
                       return 0;
                   }
                   file.dlpi_phdr = each->dlpi_phdr;
                   file.dlpi_phnum = each->dlpi_phnum;
                   return 1;
               },
               &into) != 0;
}

} // namespace

file_identity file_identity::of(const unwind::code_object& file) noexcept {
    file_identity found;
    found.path = file.map != nullptr && file.map->l_name != nullptr ? file.map->l_name : "";
    found.path_bytes = std::strlen(found.path);
    found.load_address = file.map != nullptr ? file.map->l_addr : file.begin;
    dl_phdr_info headers{};
    headers.dlpi_addr = found.load_address;
    if (find_near_headers(file.begin, headers) || find_far_headers(found.path, headers)) {
        visit_notes(headers, [&](const std::byte* notes, std::size_t bytes) {
            if (found.build_id == nullptr) {
                find_build_id(notes, bytes, found);
            }
        });
    }
    return found;
}

} // namespace mallard::recorder
