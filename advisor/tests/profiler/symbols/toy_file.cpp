#include "toy_file.hpp"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace mallard::advisor::tests {

namespace {

std::vector<Elf64_Phdr> read_segments(const std::string& path) {
    const std::vector<char> file = read_bytes(path);
    Elf64_Ehdr header;
    if (file.size() < sizeof header) {
        throw std::runtime_error(path + " is not an ELF file");
    }
    std::memcpy(&header, file.data(), sizeof header);
    std::vector<Elf64_Phdr> segments(header.e_phnum);
    std::memcpy(segments.data(), file.data() + header.e_phoff, segments.size() * sizeof(Elf64_Phdr));
    return segments;
}

/// The section .text, where functions are.
Elf64_Shdr text_section(const std::string& path) {
    const std::vector<char> file = read_bytes(path);
    Elf64_Ehdr header;
    std::memcpy(&header, file.data(), sizeof header);
    std::vector<Elf64_Shdr> sections(header.e_shnum);
    std::memcpy(sections.data(), file.data() + header.e_shoff, sections.size() * sizeof(Elf64_Shdr));
    for (const Elf64_Shdr& section : sections) {
        if (std::strcmp(file.data() + sections[header.e_shstrndx].sh_offset + section.sh_name, ".text") ==
            0) {
            return section;
        }
    }
    throw std::runtime_error(path + " has no .text");
}

} // namespace

std::string toy_path(const std::string& name) {
    return std::string(MALLARD_TOYS) + '/' + name;
}

std::vector<char> read_bytes(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) {
        throw std::runtime_error("cannot read " + path);
    }
    return {std::istreambuf_iterator<char>(file), {}};
}

trace::code_file loaded(const std::string& path, std::uint64_t base) {
    trace::code_file file;
    file.begin = ~std::uint64_t{0};
    for (const Elf64_Phdr& segment : read_segments(path)) {
        if (segment.p_type == PT_LOAD) {
            file.begin = std::min(file.begin, base + segment.p_vaddr / 4096 * 4096);
            file.end = std::max(file.end, base + segment.p_vaddr + segment.p_memsz);
        }
    }
    file.load_address = base;
    file.build_id = toy_build_id;
    file.path = path;
    return file;
}

std::pair<std::uint64_t, std::uint64_t> code_range(const std::string& path) {
    const Elf64_Shdr text = text_section(path);
    return {text.sh_addr, text.sh_addr + text.sh_size};
}

std::vector<std::uint64_t> code_addresses(const std::string& path, std::uint64_t step) {
    const auto [begin, end] = code_range(path);
    std::vector<std::uint64_t> all;
    for (std::uint64_t address = begin; address < end; address += step) {
        all.push_back(address);
    }
    return all;
}

} // namespace mallard::advisor::tests
