#include "recorder/code/file_identity.hpp"

#include <link.h>

#include <cstring>

namespace mallard::recorder {

namespace {

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

} // namespace

file_identity file_identity::of(const unwind::code_object& file) noexcept {
    file_identity found;
    found.path = file.map != nullptr && file.map->l_name != nullptr ? file.map->l_name : "";
    found.path_bytes = std::strlen(found.path);
    found.load_address = file.map != nullptr ? file.map->l_addr : file.begin;
    // The first page of a loaded file is its header, unless a linker script says otherwise.
    const auto* const begin = reinterpret_cast<const std::byte*>(file.begin);
    ElfW(Ehdr) header;
    std::memcpy(&header, begin, sizeof header);
    if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_phentsize != sizeof(ElfW(Phdr))) {
        return found;
    }
    for (unsigned each = 0; each < header.e_phnum; ++each) {
        ElfW(Phdr) segment;
        std::memcpy(&segment, begin + header.e_phoff + each * sizeof segment, sizeof segment);
        if (segment.p_type == PT_NOTE && found.build_id == nullptr) {
            find_build_id(reinterpret_cast<const std::byte*>(found.load_address + segment.p_vaddr),
                          segment.p_memsz, found);
        }
    }
    return found;
}

} // namespace mallard::recorder
