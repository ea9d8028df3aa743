// MessagePack: messages are unpacked from bytes, read and discarded. Before the change each message has a zone: it is
// already pooled. The program packs its messages first: PROGRAM FIELDS MESSAGES TIMES.
#include "advisor/case_studies/program/build.hpp"
#include "advisor/case_studies/program/checksum.hpp"

#include <cstdio>
#include <cstdlib>
#include <msgpack.hpp>
#include <random>
#include <string>
#include <vector>

namespace {

using namespace case_studies;

void add(checksum& sum, const msgpack::object& object) {
    switch (object.type) {
    case msgpack::type::MAP:
        for (const auto& member : object.via.map) {
            add(sum, member.key);
            add(sum, member.val);
        }
        break;
    case msgpack::type::ARRAY:
        for (const msgpack::object& element : object.via.array) {
            add(sum, element);
        }
        break;
    case msgpack::type::STR:
        sum.add(std::string_view(object.via.str.ptr, object.via.str.size));
        break;
    case msgpack::type::POSITIVE_INTEGER:
        sum.add(std::uint64_t{object.via.u64});
        break;
    case msgpack::type::FLOAT64:
        sum.add(object.via.f64);
        break;
    default:
        sum.add(std::uint64_t{0});
        break;
    }
}

[[gnu::noinline]] std::uint64_t handle(const std::string& bytes) {
    checksum sum;
    if constexpr (is_build<before>) {
        const msgpack::object_handle message = msgpack::unpack(bytes.data(), bytes.size());
        add(sum, message.get());
    } else if constexpr (is_build<library_pool_reused>) {
        static msgpack::zone zone;
        add(sum, msgpack::unpack(zone, bytes.data(), bytes.size()));
        zone.clear();
    } else { // the changed code, with a zone for each message
        msgpack::zone zone;
        add(sum, msgpack::unpack(zone, bytes.data(), bytes.size()));
    }
    return sum.value();
}

std::string text(std::mt19937& draw, unsigned least, unsigned most) {
    std::string letters(least + draw() % (most - least + 1), ' ');
    for (char& letter : letters) {
        letter = static_cast<char>('a' + draw() % 26);
    }
    return letters;
}

std::string message(std::mt19937& draw, std::uint32_t fields) {
    msgpack::sbuffer buffer;
    msgpack::packer<msgpack::sbuffer> packer(buffer);
    packer.pack_map(fields);
    for (std::uint32_t field = 0; field != fields; ++field) {
        packer.pack(text(draw, 4, 16));
        packer.pack_array(3);
        packer.pack(std::uint64_t{draw()});
        packer.pack(static_cast<double>(draw()) / 8.0);
        packer.pack(text(draw, 8, 60));
    }
    return {buffer.data(), buffer.size()};
}

} // namespace

int main(int argc, char** argv) {
    if (argc != 4) {
        std::fprintf(stderr, "usage: %s FIELDS MESSAGES TIMES\n", argv[0]);
        return 2;
    }
    const auto fields = static_cast<std::uint32_t>(std::strtoul(argv[1], nullptr, 10));
    std::mt19937 draw(42);
    std::vector<std::string> messages(std::strtoul(argv[2], nullptr, 10));
    for (std::string& bytes : messages) {
        bytes = message(draw, fields);
    }
    checksum sum;
    for (unsigned long time = std::strtoul(argv[3], nullptr, 10); time != 0; --time) {
        for (const std::string& bytes : messages) {
            sum.add(handle(bytes));
        }
    }
    std::printf("%016llx\n", static_cast<unsigned long long>(sum.value()));
    return 0;
}
