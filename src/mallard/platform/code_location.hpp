/// Where a return address of this process points, as far as the system and the symbol tables of its files tell.
///
/// Data model: on Linux the file of the program or shared library is mapped and its symbol table is read, because the tables
/// in memory lack the functions of a program and of what it links statically. On other systems dladdr() answers.
#pragma once

#include <mallard/core/build_mode.hpp>

#include <array>
#include <cstddef>
#include <cstdint>

namespace mallard::platform { inline namespace MALLARD_LIBRARY {

/// Null where it is not known. The names are valid until the finder's next call.
struct code_location {
    const char* file = nullptr;     ///< the program or the shared library
    std::uintptr_t offset = 0;      ///< of the call in the file, as addr2line takes it
    const char* function = nullptr; ///< the linker's name
};

class code_finder {
public:
    code_finder() noexcept = default;
    code_finder(const code_finder&) = delete;
    code_finder& operator=(const code_finder&) = delete;
    ~code_finder() { unmap(); }

    /// Returns: the location of the call that returns to this address.
    [[nodiscard]] code_location find(const void* return_address) noexcept;

private:
    void map(const char* path) noexcept;
    void unmap() noexcept;

    const std::byte* image_ = nullptr; ///< the mapped file
    std::size_t image_bytes_ = 0;
    std::array<char, 1024> path_{}; ///< the file that was mapped last
};

/// Returns: the name in the language of the program, to be freed by std::free(); null if that is not known.
[[nodiscard]] char* demangle(const char* function) noexcept;

}} // namespace mallard::platform::MALLARD_LIBRARY
