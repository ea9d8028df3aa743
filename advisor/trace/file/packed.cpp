#include "trace/file/packed.hpp"

#include "trace/file/bytes.hpp"

#include <zstd.h>

#include <new>

namespace mallard::trace {

namespace {

// A shorter part costs less together with the preceding part than with separate tables.
constexpr std::size_t least_separate_bytes = 512;
constexpr std::size_t least_block_bytes = 4;
constexpr std::size_t most_block_bytes = std::size_t{128} << 10;

} // namespace

struct packer::state {
    ZSTD_CCtx* zstd;
    std::vector<std::byte> packed;
    std::size_t filled = 0;
    std::size_t since_flush = 0;

    void add(std::span<const std::byte> part, ZSTD_EndDirective directive) {
        ZSTD_inBuffer in{part.data(), part.size(), 0};
        for (;;) {
            if (packed.size() - filled < ZSTD_compressBound(part.size() - in.pos) + 64) {
                packed.resize(packed.size() * 2 + ZSTD_compressBound(part.size()) + 64);
            }
            ZSTD_outBuffer out{packed.data(), packed.size(), filled};
            const std::size_t remaining = ZSTD_compressStream2(zstd, &out, &in, directive);
            if (ZSTD_isError(remaining) != 0) {
                throw std::bad_alloc();
            }
            filled = out.pos;
            if (in.pos == in.size && (directive == ZSTD_e_continue || remaining == 0)) {
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
    ZSTD_CCtx_setParameter(state_->zstd, ZSTD_c_checksumFlag, 1);
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
    if (part.size() >= least_separate_bytes && state_->since_flush != 0) {
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
    // A block of zstd takes at least four bytes. A damaged head cannot request more memory than such blocks would fill.
    if (plain_bytes / most_block_bytes > body.size() / least_block_bytes) {
        throw bad_bytes("the compressed bytes are too few");
    }
    plain.resize(plain_bytes);
    const std::size_t result =
        ZSTD_decompressDCtx(state_->zstd, plain.data(), plain_bytes, body.data(), body.size());
    if (ZSTD_isError(result) != 0 || result != plain_bytes) {
        throw bad_bytes("the compressed bytes are damaged");
    }
}

} // namespace mallard::trace
