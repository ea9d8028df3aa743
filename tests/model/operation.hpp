/// Operations of a program on an allocator, as data that can be generated, printed and shrunk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <vector>

namespace model {

/// A block is identified by the `id` of the operation that allocates it. Deallocating an unknown block has no effect, so
/// that every part of a stream is a valid stream.
struct operation {
    enum class kind : std::uint8_t { allocate, deallocate, release };

    kind type = kind::allocate;
    std::size_t id = 0;
    std::size_t bytes = 0;
    std::size_t alignment = 1;

    bool operator==(const operation&) const = default;
};

using stream = std::vector<operation>;

/// Returns: `length` operations drawn from `seed`: sizes 0 to 100 KiB, most of them small; one in eight
/// alignments above the fundamental one, up to 4096; half as many deallocations as allocations, of any block;
/// where `releases` is true, one release in about 150.
[[nodiscard]] stream random_stream(std::uint64_t seed, std::size_t length, bool releases);

std::ostream& operator<<(std::ostream& out, const operation& op);
std::ostream& operator<<(std::ostream& out, const stream& operations);

} // namespace model
