#include "addr2line.hpp"

#include <unistd.h>

#include <charconv>
#include <cstdio>
#include <fstream>
#include <memory>
#include <stdexcept>

namespace mallard::advisor::tests {

namespace {

std::vector<std::string> lines_of(const std::string& command) {
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

line_of_code read(const std::string& function, std::string where) {
    line_of_code made;
    made.function = function.substr(0, function.find(" [clone"));
    if (made.function.ends_with(".cold")) {
        made.function.resize(made.function.size() - 5);
    }
    where = where.substr(0, where.find(" (discriminator"));
    const std::size_t colon = where.rfind(':');
    made.file = where.substr(0, colon);
    made.file = made.file.substr(made.file.rfind('/') + 1);
    std::from_chars(where.data() + colon + 1, where.data() + where.size(), made.line);
    // Where there is no DWARF, a file may come from symbols.
    if (made.line == 0) {
        made.file.clear();
    }
    return made;
}

} // namespace

std::vector<std::vector<line_of_code>> addr2line(const std::string& file,
                                                 const std::vector<std::uint64_t>& addresses) {
    const std::string list = "/tmp/mallard-addresses-" + std::to_string(::getpid());
    {
        std::ofstream out(list);
        out << std::hex;
        for (const std::uint64_t each : addresses) {
            out << "0x" << each << '\n';
        }
    }
    const std::vector<std::string> lines = lines_of("addr2line -a -f -i -C -e '" + file + "' <" + list);
    ::unlink(list.c_str());
    std::vector<std::vector<line_of_code>> found;
    for (std::size_t each = 0; each < lines.size();) {
        if (lines[each].starts_with("0x")) {
            found.emplace_back();
            ++each;
        } else if (each + 1 < lines.size() && !found.empty()) {
            found.back().push_back(read(lines[each], lines[each + 1]));
            each += 2;
        } else {
            throw std::runtime_error("addr2line says: " + lines[each]);
        }
    }
    return found;
}

} // namespace mallard::advisor::tests
