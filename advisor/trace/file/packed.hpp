/// Bodies of frames, compressed with zstd and its checksum.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace mallard::trace {

class packer {
public:
    explicit packer(int level);
    packer(const packer&) = delete;
    packer& operator=(const packer&) = delete;
    ~packer();

    /// Effects: sets the level of zstd for later bodies.
    void set_level(int level) noexcept;
    /// Effects: begins a body of `plain_bytes` bytes, which pack() adds.
    void begin(std::size_t plain_bytes);
    /// Effects: adds a part of the body. Longer parts are compressed separately, with their own tables.
    /// Throws: std::bad_alloc.
    void pack(std::span<const std::byte> part);
    /// Returns: the body, until the next begin().
    std::span<const std::byte> end();

private:
    struct state;
    std::unique_ptr<state> state_;
};

class unpacker {
public:
    unpacker();
    unpacker(const unpacker&) = delete;
    unpacker& operator=(const unpacker&) = delete;
    ~unpacker();

    /// Effects: decompresses the body into `plain`.
    /// Throws: bad_bytes if its checksum is wrong, or it does not have exactly `plain_bytes`.
    void unpack(std::span<const std::byte> body, std::size_t plain_bytes, std::vector<std::byte>& plain);

private:
    struct state;
    std::unique_ptr<state> state_;
};

} // namespace mallard::trace
