#include "recorder/marks/marked_files.hpp"

#include "recorder/code/note_segments.hpp"

#include <link.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace mallard::recorder {

namespace {

struct note_head {
    ElfW(Nhdr) sizes {.n_namesz = 8, .n_descsz = 8, .n_type = 1 };
    char name[8] = "mallard";
};
constexpr note_head head;
constexpr std::size_t note_alignment = 4;

void connect(const std::byte* contents, const record::functions& to) noexcept {
    std::ptrdiff_t distance = 0;
    std::memcpy(&distance, contents, sizeof distance);
    auto** const pointer = reinterpret_cast<const record::functions**>(
        reinterpret_cast<std::uintptr_t>(contents) + static_cast<std::uintptr_t>(distance));
    __atomic_store_n(pointer, &to, __ATOMIC_RELAXED);
}

// A linker may merge notes of different alignments into one segment, where their chain cannot be followed. So the segment is
// scanned for the note.
void connect_by_notes(const std::byte* at, std::size_t bytes, const record::functions& to) noexcept {
    for (; bytes >= sizeof head + sizeof(std::ptrdiff_t); at += note_alignment, bytes -= note_alignment) {
        if (std::memcmp(at, &head, sizeof head) == 0) {
            connect(at + sizeof head, to);
        }
    }
}

} // namespace

void connect_marked_files(const record::functions& to) noexcept {
    ::dl_iterate_phdr(
        [](dl_phdr_info* file, std::size_t, void* argument) {
            visit_notes(*file, [&](const std::byte* notes, std::size_t bytes) {
                connect_by_notes(notes, bytes, *static_cast<const record::functions*>(argument));
            });
            return 0;
        },
        const_cast<record::functions*>(&to));
}

} // namespace mallard::recorder
