#include "profile_reader.hpp"

#include "profiler/symbols/hexadecimal.hpp"

#include <zlib.h>

#include <array>
#include <stdexcept>

namespace mallard::advisor::tests {

namespace {

std::string uncompressed(const std::filesystem::path& file) {
    gzFile in = gzopen(file.c_str(), "rb");
    if (in == nullptr) {
        throw std::runtime_error("cannot open " + file.string());
    }
    std::string all;
    std::array<char, 4096> bytes{};
    int read = 0;
    while ((read = gzread(in, bytes.data(), static_cast<unsigned>(bytes.size()))) > 0) {
        all.append(bytes.data(), static_cast<std::size_t>(read));
    }
    const bool is_compressed = gzdirect(in) == 0;
    gzclose(in);
    if (read < 0 || !is_compressed) {
        throw std::runtime_error(file.string() + " is not compressed");
    }
    return all;
}

std::uint64_t take_number(const std::string& bytes, std::size_t& at) {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        const auto byte = static_cast<unsigned char>(bytes.at(at++));
        value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
        if (byte < 0x80) {
            return value;
        }
    }
    throw std::runtime_error("a number without an end");
}

} // namespace

message::message(const std::string& bytes) {
    for (std::size_t at = 0; at < bytes.size();) {
        const std::uint64_t key = take_number(bytes, at);
        field field_value;
        field_value.number = take_number(bytes, at);
        if ((key & 7) == 2) {
            if (field_value.number > bytes.size() - at) {
                throw std::runtime_error("a field that is too long");
            }
            field_value.bytes = bytes.substr(at, field_value.number);
            at += field_value.number;
        } else if ((key & 7) != 0) {
            throw std::runtime_error("a field of a kind that profiles do not have");
        }
        fields[key >> 3].push_back(field_value);
    }
}

std::uint64_t message::number(std::uint64_t key) const {
    const auto entry = fields.find(key);
    return entry == fields.end() ? 0 : entry->second.back().number;
}

std::vector<std::uint64_t> message::packed(std::uint64_t key) const {
    const std::string& bytes = fields.at(key).at(0).bytes;
    std::vector<std::uint64_t> all;
    for (std::size_t at = 0; at < bytes.size();) {
        all.push_back(take_number(bytes, at));
    }
    return all;
}

std::vector<message> message::messages(std::uint64_t key) const {
    std::vector<message> all;
    const auto entry = fields.find(key);
    if (entry != fields.end()) {
        for (const message::field& part : entry->second) {
            all.emplace_back(part.bytes);
        }
    }
    return all;
}

profile::profile(const std::filesystem::path& file) {
    const message root(uncompressed(file));
    std::vector<std::string> texts;
    for (const message::field& text : root.fields.at(6)) {
        texts.push_back(text.bytes);
    }
    if (!texts.at(0).empty()) {
        throw std::runtime_error("string 0 is not empty");
    }
    for (const message& kind : root.messages(1)) {
        kinds.push_back(texts.at(kind.number(1)) + ' ' + texts.at(kind.number(2)));
    }
    if (const auto entry = root.fields.find(13); entry != root.fields.end()) {
        for (const message::field& comment : entry->second) {
            comments.push_back(texts.at(comment.number));
        }
    }
    for (const message& mapping : root.messages(3)) {
        mappings.push_back(hex_number(mapping.number(2)) + '-' + hex_number(mapping.number(3)) + ' ' +
                           texts.at(mapping.number(5)) + ' ' + texts.at(mapping.number(6)));
    }
    std::map<std::uint64_t, std::string> functions;
    std::map<std::uint64_t, std::string> files;
    for (const message& function : root.messages(5)) {
        functions[function.number(1)] = texts.at(function.number(2));
        files[function.number(1)] = texts.at(function.number(4));
    }
    std::map<std::uint64_t, message> locations;
    for (const message& location : root.messages(4)) {
        if (location.number(2) > mappings.size()) {
            throw std::runtime_error("a location in a missing mapping");
        }
        locations.emplace(location.number(1), location);
    }
    for (const message& encoded : root.messages(2)) {
        sample decoded;
        decoded.values = encoded.packed(2);
        for (const std::uint64_t number : encoded.packed(1)) {
            const message& location = locations.at(number);
            decoded.addresses.push_back(location.number(3));
            for (const message& line : location.messages(4)) {
                decoded.functions.push_back(functions.at(line.number(1)) + ' ' + files.at(line.number(1)) +
                                            ':' + std::to_string(line.number(2)));
            }
        }
        samples.push_back(decoded);
    }
}

} // namespace mallard::advisor::tests
