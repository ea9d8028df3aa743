#include "addr2line.hpp"
#include "profiler/symbols/code_map.hpp"
#include "toy_file.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

namespace mallard::advisor::tests { namespace {

constexpr std::uint64_t load_address = 0x7f12'3456'0000;

std::vector<line_of_code> plain(const std::vector<place>& places) {
    std::vector<line_of_code> all;
    for (const place& function : places) {
        all.push_back({function.name,
                       function.line == 0 ? "" : function.file.substr(function.file.rfind('/') + 1),
                       function.line});
    }
    return all;
}

std::string text(const std::vector<line_of_code>& all) {
    std::string out;
    for (const line_of_code& function : all) {
        out += function.function + " " + function.file + ":" + std::to_string(function.line) + "\n";
    }
    return out;
}

/// A toy with its addresses, as in a recording.
struct recorded_toy {
    std::string path;
    std::uint64_t base = 0;
    std::vector<trace::code_file> files;
    code_map map;

    explicit recorded_toy(const std::string& name)
        : path(toy_path(name)), base(name == "toy_fixed" ? 0 : load_address), files{loaded(path, base)},
          map(files) {}
};

/// DWARF has no linker's name of it, so that addr2line prints the name of its caller.
constexpr auto inlined_without_a_name = "toy::(anonymous namespace)::hidden::inlined<int>";

/// Effects: compares the places of every third address with binutils' output for `reference`.
void expect_names_of_addr2line(recorded_toy& toy, const std::string& reference) {
    const std::vector<std::uint64_t> addresses = code_addresses(toy.path, 3);
    ASSERT_EQ(code_addresses(reference, 3), addresses);
    auto expected = addr2line(reference, addresses);
    ASSERT_EQ(expected.size(), addresses.size());
    std::size_t unnamed = 0;
    std::size_t wrong = 0;
    for (std::size_t index = 0; index < addresses.size(); ++index) {
        const std::vector<line_of_code> actual = plain(toy.map.places(toy.base + addresses[index]));
        if (actual.front().function == inlined_without_a_name && !expected[index].empty()) {
            expected[index].front().function = inlined_without_a_name;
        }
        if (actual.back().function.find("+0x") != std::string::npos) {
            ++unnamed; // between functions
        } else if (actual != expected[index] && ++wrong <= 5) {
            ADD_FAILURE() << std::hex << addresses[index] << "\nactual:\n"
                          << text(actual) << "expected:\n"
                          << text(expected[index]);
        }
    }
    EXPECT_EQ(wrong, 0u) << "of " << addresses.size();
    EXPECT_LT(unnamed, addresses.size() / 20);
    EXPECT_EQ(toy.map.warnings(), std::vector<std::string>());
}

class names_of_toys : public testing::TestWithParam<const char*> {};

TEST_P(names_of_toys, agree_with_addr2line) {
    recorded_toy toy(GetParam());
    expect_names_of_addr2line(toy, toy.path);
}

INSTANTIATE_TEST_SUITE_P(all, names_of_toys,
                         testing::Values("toy_debug", "toy_plain", "toy_dwarf4", "toy_fixed", "toy_apart"),
                         [](const auto& instance) { return std::string(instance.param); });

TEST(code_map, lists_names_by_parts_of_symbols) {
    recorded_toy toy("toy_debug");
    EXPECT_EQ(toy.map.names_containing("with_clone"), (std::set<std::string>{"toy::with_clone(int, int)"}));
    EXPECT_TRUE(toy.map.names_containing("toy_plain_c").contains("toy_plain_c"));
    EXPECT_EQ(toy.map.names_containing("with_klone"), std::set<std::string>());
}

TEST(code_map, reads_lines_from_split_dwarf) {
    recorded_toy split("toy_split"); // addr2line does not
    expect_names_of_addr2line(split, toy_path("toy_dwarf4"));
}

TEST(code_map, reads_declarations_before_lines) {
    recorded_toy toy("toy_split");
    std::set<unsigned> lines;
    for (const std::uint64_t address : code_addresses(toy.path, 3)) {
        const function_id id = toy.map.function_at(toy.base + address);
        if (toy.map.short_name(id) == "toy::outer") {
            EXPECT_TRUE(toy.map.at(id).file.ends_with("/toys/first.cpp"));
            lines.insert(toy.map.at(id).line);
        }
    }
    EXPECT_EQ(lines, std::set<unsigned>{36});
}

/// Returns: the short names of the toy's functions with their numbers.
std::multimap<std::string, function_id> list_functions(recorded_toy& toy) {
    std::set<function_id> numbers;
    for (const std::uint64_t address : code_addresses(toy.path, 1)) {
        numbers.insert(toy.map.function_at(toy.base + address));
    }
    std::multimap<std::string, function_id> functions;
    for (const function_id id : numbers) {
        functions.emplace(toy.map.short_name(id), id);
    }
    return functions;
}

TEST(code_map, merges_the_parts_of_a_function) {
    recorded_toy toy("toy_plain");
    const auto functions = list_functions(toy);
    EXPECT_EQ(functions.count("toy::with_cold_part"), 1u);
    EXPECT_EQ(functions.count("toy::with_clone"), 1u);
    EXPECT_EQ(functions.count("main"), 1u);
    EXPECT_EQ(functions.count("toy::same_name"), 2u) << "one of each source file, with its cold part";
    const std::vector<std::uint64_t> addresses = code_addresses(toy.path, 1);
    const auto parts = [&](const std::string& name) {
        unsigned count = 0;
        bool inside = false;
        for (const std::uint64_t address : addresses) {
            const bool matches = toy.map.short_name(toy.map.function_at(toy.base + address)) == name;
            count += matches && !inside ? 1 : 0;
            inside = matches;
        }
        return count;
    };
    EXPECT_EQ(parts("toy::with_cold_part"), 2u);
    EXPECT_EQ(parts("toy::same_name"), 4u);
}

TEST(code_map, separates_functions_without_symbols_by_their_ranges) {
    recorded_toy plain_toy("toy_plain");
    recorded_toy stripped("toy_stripped");
    std::map<function_id, std::set<function_id>> parts;
    for (const std::uint64_t address : code_addresses(stripped.path, 1)) {
        const function_id known = plain_toy.map.function_at(plain_toy.base + address);
        const function_id unknown = stripped.map.function_at(stripped.base + address);
        if (plain_toy.map.short_name(known) == "toy::same_name") {
            parts[known].insert(unknown);
        }
        EXPECT_FALSE(stripped.map.short_name(unknown).empty());
    }
    ASSERT_EQ(parts.size(), 2u);
    for (const auto& [known, unknown] : parts) {
        EXPECT_EQ(unknown.size(), 2u) << "nothing relates a cold part to its function";
        EXPECT_TRUE(stripped.map.short_name(*unknown.begin()).starts_with("toy_stripped+0x"));
    }
    EXPECT_EQ(list_functions(stripped).count("toy_plain_c"), 1u) << "an exported function has its symbol";
}

TEST(code_map, reports_name_file_and_line) {
    recorded_toy toy("toy_debug");
    const auto functions = list_functions(toy);
    const function& info = toy.map.at(functions.find("toy::shelf<std::string>::put")->second);
    EXPECT_EQ(
        info.name,
        "toy::shelf<std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> > >"
        "::put(std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> > const&)");
    EXPECT_EQ(info.object, "toy_debug");
    EXPECT_TRUE(info.file.ends_with("/toys/toy.hpp"));
    EXPECT_EQ(info.line, 15u);
    EXPECT_EQ(&info, &toy.map.at(functions.find("toy::shelf<std::string>::put")->second));
    EXPECT_TRUE(toy.map.object(0).is_readable);
    EXPECT_TRUE(toy.map.object(0).has_lines);
}

TEST(code_map, reports_chains_of_inlined_functions) {
    recorded_toy toy("toy_debug");
    std::set<std::vector<std::string>> chains;
    for (const std::uint64_t address : code_addresses(toy.path, 1)) {
        const std::vector<place> places = toy.map.places(toy.base + address);
        std::vector<std::string> chain;
        for (const place& function : places) {
            chain.push_back(function.short_name);
            EXPECT_EQ(function.inlined, &function != &places.back());
        }
        chains.insert(chain);
    }
    EXPECT_TRUE(chains.contains({"toy::innermost", "toy::middle", "toy::outer"}));
    EXPECT_TRUE(chains.contains({"toy::innermost", "toy::other_file"}));
    EXPECT_TRUE(std::ranges::any_of(chains, [](const auto& chain) {
        return chain.front() == inlined_without_a_name && chain.back() == "toy::call_clones";
    }));
}

/// Returns: the functions that are inlined into others, by their short names.
std::map<std::string, std::set<function_id>> list_inlined(recorded_toy& toy) {
    std::map<std::string, std::set<function_id>> inlined;
    for (const std::uint64_t address : code_addresses(toy.path, 3)) {
        const std::vector<place> places = toy.map.places(toy.base + address);
        std::size_t last = 0;
        for (const inlined_place& function : toy.map.inlined(toy.base + address)) {
            EXPECT_GT(function.index, last) << "the outermost first";
            last = function.index;
            const place& named = places.at(places.size() - 1 - function.index);
            const std::string& name = toy.map.short_name(function.function);
            EXPECT_EQ(name, named.short_name);
            const auto ranges = toy.map.inlined_code(toy.base + address, function.index);
            EXPECT_EQ(std::ranges::count_if(ranges,
                                            [&](const code_span& range) {
                                                return range.begin <= toy.base + address &&
                                                       toy.base + address < range.end;
                                            }),
                      1);
            EXPECT_EQ(std::ranges::min(ranges, {}, &code_span::begin).begin, function.begin);
            inlined[name].insert(function.function);
        }
    }
    return inlined;
}

class inlined_functions_of_toys : public testing::TestWithParam<const char*> {};

TEST_P(inlined_functions_of_toys, have_numbers_and_code) {
    recorded_toy toy(GetParam());
    auto inlined = list_inlined(toy);
    ASSERT_EQ(inlined["toy::innermost"].size(), 1u) << "of two compilation units";
    ASSERT_EQ(inlined["toy::middle"].size(), 1u);
    const function& middle = toy.map.at(*inlined["toy::middle"].begin());
    EXPECT_TRUE(middle.file.ends_with("/toys/toy.hpp"));
    EXPECT_EQ(middle.line, 28u);
    EXPECT_EQ(middle.object, GetParam());
    for (const auto& [name, numbers] : inlined) {
        EXPECT_FALSE(name.starts_with("std::")) << "those of libraries have no level";
    }
}

TEST_P(inlined_functions_of_toys, are_one_with_their_compiled_copies) {
    recorded_toy toy(GetParam());
    auto inlined = list_inlined(toy);
    const auto functions = list_functions(toy);
    ASSERT_EQ(functions.count("toy::once_inlined"), 1u);
    EXPECT_EQ(inlined["toy::once_inlined"],
              std::set<function_id>{functions.find("toy::once_inlined")->second});
}

INSTANTIATE_TEST_SUITE_P(all, inlined_functions_of_toys,
                         testing::Values("toy_debug", "toy_dwarf4", "toy_fixed", "toy_apart", "toy_split"),
                         [](const auto& instance) { return std::string(instance.param); });

TEST(code_map, knows_no_inlined_functions_without_dwarf) {
    recorded_toy toy("toy_plain");
    EXPECT_TRUE(list_inlined(toy).empty());
    EXPECT_TRUE(toy.map.inlined(0x1234'5678).empty()) << "in no file";
    EXPECT_TRUE(toy.map.inlined(0).empty());
    EXPECT_TRUE(toy.map.inlined_code(0x1234'5678, 1).empty());
}

TEST(code_map, has_names_for_code_without_a_file) {
    recorded_toy toy("toy_plain");
    const function_id unknown = toy.map.function_at(0x1234'5678);
    EXPECT_EQ(toy.map.at(unknown).name, "unknown code");
    EXPECT_EQ(toy.map.function_at(~std::uint64_t{0}), unknown);
    EXPECT_EQ(toy.map.at(toy.map.function_at(code_map::call_instruction(0))).name, "levels left out");
    EXPECT_EQ(toy.map.places(0x1234'5678).at(0).name, "unknown code");
    EXPECT_EQ(code_map::call_instruction(trace::interrupted_level | 0x10), 0x10u);
    EXPECT_EQ(code_map::call_instruction(0x10), 0xfu);
    EXPECT_EQ(toy.map.file_at(0x1234'5678), 1u);
    EXPECT_FALSE(toy.map.is_allocator_layer(unknown));
}

TEST(code_map, names_the_page_of_the_system) {
    const std::vector<trace::code_file> files{{0x1000, 0x3000, 0x1000, "id", "linux-vdso.so.1", 0}};
    code_map map(files);
    EXPECT_EQ(map.at(map.function_at(0x1234)).name, "[vdso]");
    EXPECT_EQ(map.function_at(0x2345), map.function_at(0x1234));
    EXPECT_EQ(map.warnings(), std::vector<std::string>());
}

TEST(code_map, warns_about_missing_and_changed_files) {
    trace::code_file missing{0x10000, 0x20000, 0x10000, "\x12\xab", "/nowhere/libgone.so", 0};
    trace::code_file changed = loaded(toy_path("toy_plain"), 0x100000);
    changed.build_id = "another one";
    trace::code_file no_elf{0x1000, 0x2000, 0x1000, "", "/etc/passwd", 0};
    trace::code_file folder{0x3000, 0x4000, 0x3000, "", "/etc", 0};
    trace::code_file shorter = loaded(toy_path("toy_plain"), 0x200000);
    shorter.build_id.clear();
    shorter.end -= 0x2000;
    const std::vector<trace::code_file> files{missing, changed, no_elf, folder, shorter};
    code_map map(files);
    EXPECT_EQ(map.warnings(), std::vector<std::string>());
    EXPECT_EQ(map.at(map.function_at(0x11234)).name, "libgone.so+0x1234");
    EXPECT_EQ(map.places(0x11234).at(0).name, "libgone.so+0x1234");
    EXPECT_EQ(map.at(map.function_at(changed.begin + 0x3000)).name, "toy_plain+0x3000");
    EXPECT_EQ(map.at(map.function_at(0x1100)).name, "passwd+0x100");
    EXPECT_EQ(map.at(map.function_at(0x3100)).name, "etc+0x100");
    EXPECT_EQ(map.at(map.function_at(shorter.begin + 0x3000)).name, "toy_plain+0x3000");
    EXPECT_EQ(map.at(map.function_at(0x11235)).name, "libgone.so+0x1235");
    const std::vector<std::string> warnings{
        "/nowhere/libgone.so is not on this machine: its functions have no names. Install the file with "
        "build-id 12ab or its "
        "debug symbols.",
        changed.path + " was changed after the recording: its functions have no names. Record again, or "
                       "bring back the file "
                       "with build-id 616e6f74686572206f6e65.",
        "/etc/passwd cannot be read as an ELF file: its functions have no names.",
        "/etc cannot be read as an ELF file: its functions have no names.",
        changed.path + " was changed after the recording: its functions have no names. Record again, or "
                       "bring back the file."};
    EXPECT_EQ(map.warnings(), warnings);
}

TEST(code_map, takes_the_main_program_from_the_process) {
    std::vector<trace::code_file> files{loaded(toy_path("toy_dwarf4"), load_address)};
    files[0].path.clear();
    code_map map(files, toy_path("toy_dwarf4"));
    EXPECT_EQ(map.at(map.function_at(load_address + code_range(toy_path("toy_dwarf4")).first)).object,
              "toy_dwarf4");
    EXPECT_EQ(map.warnings(), std::vector<std::string>());
    files[0].build_id = "\x01\x02\x03\x04\x05";
    code_map redacted(files);
    EXPECT_EQ(redacted.at(redacted.function_at(load_address + 0x3000)).name, "[01020304]+0x3000");
}

TEST(code_map, warns_about_files_at_reused_addresses) {
    const trace::code_file first{0x1000, 0x3000, 0x1000, "1", "/nowhere/first.so", 5};
    const trace::code_file second{0x2000, 0x4000, 0x2000, "2", "/nowhere/second.so", 9};
    const std::vector<trace::code_file> files{second, first, first};
    code_map map(files);
    EXPECT_EQ(map.at(map.function_at(0x2500)).name, "second.so+0x500");
    ASSERT_EQ(map.warnings().size(), 2u);
    EXPECT_EQ(map.warnings()[0],
              "first.so was unloaded, and second.so was loaded to its addresses: functions of the first may "
              "have names of the second.");
}

TEST(code_map, can_be_empty) {
    code_map map({});
    EXPECT_EQ(map.at(map.function_at(0x2500)).name, "unknown code");
}

}} // namespace mallard::advisor::tests
