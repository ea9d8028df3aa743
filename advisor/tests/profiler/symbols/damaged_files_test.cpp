#include "profiler/symbols/code_map.hpp"
#include "toy_file.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>

namespace mallard::advisor::tests { namespace {

/// A file in a separate folder, which is removed at the end.
class damaged_file {
public:
    damaged_file() : folder_("/tmp/mallard-damaged-" + std::to_string(::getpid())) {
        std::filesystem::create_directories(folder_);
    }
    damaged_file(const damaged_file&) = delete;
    damaged_file& operator=(const damaged_file&) = delete;
    ~damaged_file() { std::filesystem::remove_all(folder_); }

    [[nodiscard]] std::string path() const { return folder_ + "/toy"; }
    void write(const std::vector<char>& bytes) const {
        std::ofstream(path(), std::ios::binary | std::ios::trunc)
            .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    }

private:
    std::string folder_;
};

/// Effects: looks up all names of the file.
void look_up_everything(const trace::code_file& file, const std::vector<std::uint64_t>& addresses) {
    const std::vector<trace::code_file> files{file};
    code_map map(files);
    for (const std::uint64_t address : addresses) {
        EXPECT_FALSE(map.places(address + file.load_address).empty());
        EXPECT_FALSE(map.at(map.function_at(address + file.load_address)).name.empty());
    }
}

/// The number of damaged files to try: enough to reach each kind of section, or $MALLARD_DAMAGED_FILES.
unsigned rounds() {
    const char* const stated = std::getenv("MALLARD_DAMAGED_FILES");
    return stated == nullptr ? 60 : static_cast<unsigned>(std::strtoul(stated, nullptr, 10));
}

class damaged_toys : public testing::TestWithParam<const char*> {};

TEST_P(damaged_toys, do_no_harm) {
    const std::string original = toy_path(GetParam());
    const std::vector<char> intact = read_bytes(original);
    trace::code_file file = loaded(original, 0x10000);
    const std::vector<std::uint64_t> addresses = code_addresses(original, 97);
    const damaged_file damaged;
    file.path = damaged.path();
    const char* const seed = std::getenv("MALLARD_SEED");
    std::mt19937 random(seed == nullptr ? 1 : static_cast<unsigned>(std::strtoul(seed, nullptr, 10)));
    for (unsigned round = 0; round < rounds(); ++round) {
        std::vector<char> bytes = intact;
        const unsigned kind = random() % 8;
        if (kind == 0) {
            bytes.resize(random() % bytes.size());
        }
        const unsigned changes = 1 + random() % 32;
        // Headers are short, so half of the rounds change the ends of the file.
        const std::size_t first = kind >= 5 && bytes.size() > 8192 ? bytes.size() - 4096 : 0;
        const std::size_t range =
            kind >= 3 && kind < 7 ? std::min<std::size_t>(bytes.size() - first, 4096) : bytes.size() - first;
        for (unsigned change = 0; change < changes && range != 0; ++change) {
            bytes[first + random() % range] = static_cast<char>(random() % 3 == 0 ? 0xff : random());
        }
        damaged.write(bytes);
        look_up_everything(file, addresses);
    }
}

TEST(damaged_dwarf, is_read_once) {
    look_up_everything(loaded(toy_path("toy_endless"), 0x10000), code_addresses(toy_path("toy_endless"), 1));
}

INSTANTIATE_TEST_SUITE_P(all, damaged_toys, testing::Values("toy_debug", "toy_stripped", "toy_dwarf4"),
                         [](const auto& instance) { return std::string(instance.param); });

}} // namespace mallard::advisor::tests
