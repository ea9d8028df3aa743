/// The notes of a loaded file.
#pragma once

#include <link.h>

#include <cstddef>

namespace mallard::recorder {

/// Effects: calls `visit(begin, bytes)` for each note segment. One outside of all loaded segments is skipped, because
/// its address is meaningless.
template <typename Visit>
void visit_notes(const dl_phdr_info& file, Visit visit) noexcept {
    const auto* const end = file.dlpi_phdr + file.dlpi_phnum;
    for (const auto* notes = file.dlpi_phdr; notes != end; ++notes) {
        if (notes->p_type != PT_NOTE) {
            continue;
        }
        for (const auto* loaded = file.dlpi_phdr; loaded != end; ++loaded) {
            const auto offset = notes->p_vaddr - loaded->p_vaddr;
            if (loaded->p_type == PT_LOAD && (loaded->p_flags & PF_R) != 0 && offset <= loaded->p_filesz &&
                notes->p_memsz <= loaded->p_filesz - offset) {
                visit(reinterpret_cast<const std::byte*>(file.dlpi_addr + notes->p_vaddr),
                      std::size_t{notes->p_memsz});
                break;
            }
        }
    }
}

} // namespace mallard::recorder
