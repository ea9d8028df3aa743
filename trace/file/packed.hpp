/// Bodies of frames, compressed with zstd.
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

    /// Effects: bodies that begin from now on are compressed with that level of zstd.
    void set_level(int level) noexcept;
    /// Effects: begins a body of so many bytes, which pack() then gives.
    void begin(std::size_t plain_bytes);
    /// Effects: adds a part of the body. Parts of another kind are compressed apart, with tables of their own.
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

    /// Bytes behind a decompressed body, which mean nothing: its reader may load them with the last ones.
    static constexpr std::size_t bytes_behind = 8;

    /// Effects: `plain` holds the decompressed body, and `bytes_behind` more.
    /// Throws: bad_bytes if that has not exactly `plain_bytes`.
    void unpack(std::span<const std::byte> body, std::size_t plain_bytes, std::vector<std::byte>& plain);

private:
    struct state;
    std::unique_ptr<state> state_;
};

} // namespace mallard::trace
