#include "profile_reader.hpp"

#include "advisor/symbols/hexadecimal.hpp"

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
        field made;
        made.number = take_number(bytes, at);
        if ((key & 7) == 2) {
            if (made.number > bytes.size() - at) {
                throw std::runtime_error("a field that is too long");
            }
            made.bytes = bytes.substr(at, made.number);
            at += made.number;
        } else if ((key & 7) != 0) {
            throw std::runtime_error("a field of a kind that profiles do not have");
        }
        fields[key >> 3].push_back(made);
    }
}

std::uint64_t message::number(std::uint64_t which) const {
    const auto found = fields.find(which);
    return found == fields.end() ? 0 : found->second.back().number;
}

std::vector<std::uint64_t> message::packed(std::uint64_t which) const {
    const std::string& bytes = fields.at(which).at(0).bytes;
    std::vector<std::uint64_t> all;
    for (std::size_t at = 0; at < bytes.size();) {
        all.push_back(take_number(bytes, at));
    }
    return all;
}

std::vector<message> message::messages(std::uint64_t which) const {
    std::vector<message> all;
    const auto found = fields.find(which);
    if (found != fields.end()) {
        for (const message::field& each : found->second) {
            all.emplace_back(each.bytes);
        }
    }
    return all;
}

profile::profile(const std::filesystem::path& file) {
    const message whole(uncompressed(file));
    std::vector<std::string> texts;
    for (const message::field& each : whole.fields.at(6)) {
        texts.push_back(each.bytes);
    }
    if (!texts.at(0).empty()) {
        throw std::runtime_error("string 0 is not empty");
    }
    for (const message& each : whole.messages(1)) {
        kinds.push_back(texts.at(each.number(1)) + ' ' + texts.at(each.number(2)));
    }
    if (const auto found = whole.fields.find(13); found != whole.fields.end()) {
        for (const message::field& each : found->second) {
            comments.push_back(texts.at(each.number));
        }
    }
    for (const message& each : whole.messages(3)) {
        mappings.push_back(hex_number(each.number(2)) + '-' + hex_number(each.number(3)) + ' ' +
                           texts.at(each.number(5)) + ' ' + texts.at(each.number(6)));
    }
    std::map<std::uint64_t, std::string> functions;
    std::map<std::uint64_t, std::string> files;
    for (const message& each : whole.messages(5)) {
        functions[each.number(1)] = texts.at(each.number(2));
        files[each.number(1)] = texts.at(each.number(4));
    }
    std::map<std::uint64_t, message> locations;
    for (const message& each : whole.messages(4)) {
        if (each.number(2) > mappings.size()) {
            throw std::runtime_error("a location in a mapping that is not there");
        }
        locations.emplace(each.number(1), each);
    }
    for (const message& each : whole.messages(2)) {
        sample made;
        made.values = each.packed(2);
        for (const std::uint64_t number : each.packed(1)) {
            const message& location = locations.at(number);
            made.addresses.push_back(location.number(3));
            for (const message& line : location.messages(4)) {
                made.functions.push_back(functions.at(line.number(1)) + ' ' + files.at(line.number(1)) + ':' +
                                         std::to_string(line.number(2)));
            }
        }
        samples.push_back(made);
    }
}

} // namespace mallard::advisor::tests
