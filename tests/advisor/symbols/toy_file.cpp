#include "toy_file.hpp"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace mallard::advisor::tests {

namespace {

std::vector<Elf64_Phdr> segments_of(const std::string& path) {
    const std::vector<char> file = bytes_of(path);
    Elf64_Ehdr header;
    if (file.size() < sizeof header) {
        throw std::runtime_error(path + " is no ELF file");
    }
    std::memcpy(&header, file.data(), sizeof header);
    std::vector<Elf64_Phdr> segments(header.e_phnum);
    std::memcpy(segments.data(), file.data() + header.e_phoff, segments.size() * sizeof(Elf64_Phdr));
    return segments;
}

/// The section .text, where functions are.
Elf64_Shdr text_of(const std::string& path) {
    const std::vector<char> file = bytes_of(path);
    Elf64_Ehdr header;
    std::memcpy(&header, file.data(), sizeof header);
    std::vector<Elf64_Shdr> sections(header.e_shnum);
    std::memcpy(sections.data(), file.data() + header.e_shoff, sections.size() * sizeof(Elf64_Shdr));
    for (const Elf64_Shdr& each : sections) {
        if (std::strcmp(file.data() + sections[header.e_shstrndx].sh_offset + each.sh_name, ".text") == 0) {
            return each;
        }
    }
    throw std::runtime_error(path + " has no .text");
}

} // namespace

std::string toy_path(const std::string& name) {
    return std::string(MALLARD_TOYS) + '/' + name;
}

std::vector<char> bytes_of(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) {
        throw std::runtime_error("there is no " + path);
    }
    return {std::istreambuf_iterator<char>(file), {}};
}

trace::code_file loaded(const std::string& path, std::uint64_t load_address) {
    trace::code_file made;
    made.begin = ~std::uint64_t{0};
    for (const Elf64_Phdr& each : segments_of(path)) {
        if (each.p_type == PT_LOAD) {
            made.begin = std::min(made.begin, load_address + each.p_vaddr / 4096 * 4096);
            made.end = std::max(made.end, load_address + each.p_vaddr + each.p_memsz);
        }
    }
    made.load_address = load_address;
    made.build_id = toy_build_id;
    made.path = path;
    return made;
}

std::pair<std::uint64_t, std::uint64_t> code_of(const std::string& path) {
    const Elf64_Shdr text = text_of(path);
    return {text.sh_addr, text.sh_addr + text.sh_size};
}

std::vector<std::uint64_t> addresses_of(const std::string& path, std::uint64_t step) {
    const auto [begin, end] = code_of(path);
    std::vector<std::uint64_t> all;
    for (std::uint64_t each = begin; each < end; each += step) {
        all.push_back(each);
    }
    return all;
}

} // namespace mallard::advisor::tests
