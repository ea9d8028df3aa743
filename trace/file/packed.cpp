#include "trace/file/packed.hpp"

#include "trace/file/bytes.hpp"

#include <zstd.h>

#include <new>

namespace mallard::trace {

namespace {

// A shorter part costs less beside the part before it than with tables of its own.
constexpr std::size_t least_bytes_apart = 512;
constexpr std::size_t least_bytes_of_block = 4;
constexpr std::size_t most_bytes_of_block = std::size_t{128} << 10;

} // namespace

struct packer::state {
    ZSTD_CCtx* zstd;
    std::vector<std::byte> packed;
    std::size_t filled = 0;
    std::size_t since_flush = 0;

    void add(std::span<const std::byte> part, ZSTD_EndDirective how) {
        ZSTD_inBuffer in{part.data(), part.size(), 0};
        for (;;) {
            if (packed.size() - filled < ZSTD_compressBound(part.size() - in.pos) + 64) {
                packed.resize(packed.size() * 2 + ZSTD_compressBound(part.size()) + 64);
            }
            ZSTD_outBuffer out{packed.data(), packed.size(), filled};
            const std::size_t left = ZSTD_compressStream2(zstd, &out, &in, how);
            if (ZSTD_isError(left) != 0) {
                throw std::bad_alloc();
            }
            filled = out.pos;
            if (in.pos == in.size && (how == ZSTD_e_continue || left == 0)) {
                return;
            }
        }
    }
};

packer::packer(int level) : state_(std::make_unique<state>()) {
    state_->zstd = ZSTD_createCCtx();
    if (state_->zstd == nullptr) {
        throw std::bad_alloc();
    }
    set_level(level);
}

void packer::set_level(int level) noexcept {
    ZSTD_CCtx_setParameter(state_->zstd, ZSTD_c_compressionLevel, level);
}

packer::~packer() {
    ZSTD_freeCCtx(state_->zstd);
}

void packer::begin(std::size_t plain_bytes) {
    ZSTD_CCtx_reset(state_->zstd, ZSTD_reset_session_only);
    ZSTD_CCtx_setPledgedSrcSize(state_->zstd, plain_bytes);
    state_->filled = 0;
    state_->since_flush = 0;
}

void packer::pack(std::span<const std::byte> part) {
    if (part.size() >= least_bytes_apart && state_->since_flush != 0) {
        state_->add({}, ZSTD_e_flush);
        state_->since_flush = 0;
    }
    state_->add(part, ZSTD_e_continue);
    state_->since_flush += part.size();
}

std::span<const std::byte> packer::end() {
    state_->add({}, ZSTD_e_end);
    return {state_->packed.data(), state_->filled};
}

struct unpacker::state {
    ZSTD_DCtx* zstd;
};

unpacker::unpacker() : state_(std::make_unique<state>()) {
    state_->zstd = ZSTD_createDCtx();
    if (state_->zstd == nullptr) {
        throw std::bad_alloc();
    }
}

unpacker::~unpacker() {
    ZSTD_freeDCtx(state_->zstd);
}

void unpacker::unpack(std::span<const std::byte> body, std::size_t plain_bytes,
                      std::vector<std::byte>& plain) {
    // A block of zstd takes four bytes at least. A damaged head cannot ask for more memory than such blocks would fill.
    if (plain_bytes / most_bytes_of_block > body.size() / least_bytes_of_block) {
        throw bad_bytes("its compressed bytes are too few");
    }
    plain.resize(plain_bytes + bytes_behind);
    const std::size_t made =
        ZSTD_decompressDCtx(state_->zstd, plain.data(), plain_bytes, body.data(), body.size());
    if (ZSTD_isError(made) != 0 || made != plain_bytes) {
        throw bad_bytes("its compressed bytes are damaged");
    }
}

} // namespace mallard::trace
