#include "addr2line.hpp"

#include <unistd.h>

#include <charconv>
#include <cstdio>
#include <fstream>
#include <memory>
#include <stdexcept>

namespace mallard::advisor::tests {

namespace {

std::vector<std::string> output_lines(const std::string& command) {
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> output(::popen(command.c_str(), "r"), &::pclose);
    if (output == nullptr) {
        throw std::runtime_error("cannot start " + command);
    }
    std::vector<std::string> lines;
    char* line = nullptr;
    std::size_t room = 0;
    for (ssize_t bytes = 0; (bytes = ::getline(&line, &room, output.get())) > 0;) {
        lines.emplace_back(line, static_cast<std::size_t>(bytes - 1));
    }
    std::free(line);
    return lines;
}

line_of_code read(const std::string& function, std::string location) {
    line_of_code line;
    line.function = function.substr(0, function.find(" [clone"));
    if (line.function.ends_with(".cold")) {
        line.function.resize(line.function.size() - 5);
    }
    location = location.substr(0, location.find(" (discriminator"));
    const std::size_t colon = location.rfind(':');
    line.file = location.substr(0, colon);
    line.file = line.file.substr(line.file.rfind('/') + 1);
    std::from_chars(location.data() + colon + 1, location.data() + location.size(), line.line);
    // Without DWARF, the file may come from symbols.
    if (line.line == 0) {
        line.file.clear();
    }
    return line;
}

} // namespace

std::vector<std::vector<line_of_code>> addr2line(const std::string& file,
                                                 const std::vector<std::uint64_t>& addresses) {
    const std::string list = "/tmp/mallard-addresses-" + std::to_string(::getpid());
    {
        std::ofstream out(list);
        out << std::hex;
        for (const std::uint64_t address : addresses) {
            out << "0x" << address << '\n';
        }
    }
    const std::vector<std::string> lines = output_lines("addr2line -a -f -i -C -e '" + file + "' <" + list);
    ::unlink(list.c_str());
    std::vector<std::vector<line_of_code>> functions;
    for (std::size_t index = 0; index < lines.size();) {
        if (lines[index].starts_with("0x")) {
            functions.emplace_back();
            ++index;
        } else if (index + 1 < lines.size() && !functions.empty()) {
            functions.back().push_back(read(lines[index], lines[index + 1]));
            index += 2;
        } else {
            throw std::runtime_error("unexpected output of addr2line: " + lines[index]);
        }
    }
    return functions;
}

} // namespace mallard::advisor::tests
