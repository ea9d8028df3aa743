// Compiled twice: as the first half, and with other flags as the second.
#include "half.hpp"

#include <mallard/core/quiet_request.hpp>
#include <mallard/local/monotonic.hpp>
#include <mallard/upstream/buffer.hpp>

#include <array>
#include <cstddef>

#ifdef MALLARD_ASAN
#include <sanitizer/asan_interface.h>
#endif

namespace {

using arena = mallard::monotonic<mallard::buffer>;
constexpr mallard::monotonic_options small{.growth = {.first_chunk_bytes = 256, .largest_chunk_bytes = 256}};

bool poisons() {
    alignas(16) static std::array<std::byte, 1024> room{};
    mallard::buffer source(room);
    arena blocks(source, small);
    [[maybe_unused]] void* const p = blocks.allocate(24, 8);
    blocks.rewind();
#ifdef MALLARD_ASAN
    return __asan_address_is_poisoned(p) != 0;
#else
    return false;
#endif
}

bool survives() {
    exhausted source;
    return mallard::core::ask_quietly(source, 8, 8) == nullptr;
}

} // namespace

seen LOOK(bool exceptions) {
    return {.poisons_released_memory = poisons(), .survives_a_source_that_throws = exceptions && survives()};
}

void MISUSE() {
    alignas(16) static std::array<std::byte, 1024> room{};
    mallard::buffer source(room);
    arena blocks(source, small);
    static_cast<void>(blocks.allocate(8, 24)); // which is no power of two
}
