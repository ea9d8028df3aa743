#include "profiler/export/gzip.hpp"

#include <zlib.h>

#include <array>
#include <limits>
#include <new>

namespace mallard::advisor {

struct gzip::state {
    z_stream stream{};
    std::array<char, std::size_t{1} << 16> out{};

    state() {
        constexpr int largest_window = 15;
        constexpr int gzip_header = 16; // without name and time, so that equal profiles are equal files
        constexpr int default_memory = 8;
        if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, largest_window + gzip_header,
                         default_memory, Z_DEFAULT_STRATEGY) != Z_OK) {
            throw std::bad_alloc();
        }
    }
    state(const state&) = delete;
    state& operator=(const state&) = delete;
    ~state() { deflateEnd(&stream); }
};

gzip::gzip(output_file& to) : to_(to), state_(std::make_unique<state>()) {}

gzip::~gzip() = default;

void gzip::write(std::string_view bytes) {
    compress(bytes, Z_NO_FLUSH);
}

void gzip::finish() {
    compress({}, Z_FINISH);
}

void gzip::compress(std::string_view bytes, int flush) {
    constexpr std::size_t most = std::numeric_limits<uInt>::max();
    while (bytes.size() > most) {
        compress(bytes.substr(0, most), Z_NO_FLUSH);
        bytes.remove_prefix(most);
    }
    z_stream& stream = state_->stream;
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream.avail_in = static_cast<uInt>(bytes.size());
    do {
        stream.next_out = reinterpret_cast<Bytef*>(state_->out.data());
        stream.avail_out = static_cast<uInt>(state_->out.size());
        deflate(&stream, flush);
        to_.write({state_->out.data(), state_->out.size() - stream.avail_out});
    } while (stream.avail_out == 0);
}

} // namespace mallard::advisor
