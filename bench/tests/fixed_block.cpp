/// Plan: a few operations each, in this process.
///   1. floors: a slot's block comes back; a circle spares the blocks that it is to keep
///   2. objects: made and unmade as often as asked, by the class's own operator new if it has one
///   3. all versions of remove_ctrl return the same; each makes the requests that the book tells
///   4. every work under every strategy that it has: the same checksum, the same requests
///   5. invalid options are refused with a reason
#include "run_words.hpp"
#include "runner/strategy/null_blocks.hpp"
#include "runner/strategy/recording_source.hpp"
#include "runner/workload/experiments.hpp"
#include "runner/workload/fixed_block/objects.hpp"
#include "runner/workload/fixed_block/remove_ctrl.hpp"
#include "runner/workload/fixed_block/works.hpp"

#include <mallard/bind/allocator.hpp>

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace {

using bench::error_message;
using bench::run_words;

TEST(null_slots, reuse_the_block_that_was_freed_last) {
    std::array<std::byte, 64> memory{};
    bench::null_slots floor(memory);
    void* const first = floor.allocate(16, 8);
    void* const second = floor.allocate(16, 8);
    EXPECT_EQ(first, memory.data());
    EXPECT_EQ(second, memory.data() + 16);
    floor.deallocate(first, 16, 8);
    EXPECT_EQ(floor.allocate(16, 8), first);
    floor.deallocate(second, 16, 8);
    EXPECT_EQ(floor.allocate(16, 8), second);
}

TEST(null_circle, wraps_around_behind_excluded_blocks) {
    alignas(16) std::array<std::byte, 64> memory{};
    bench::null_circle floor(memory);
    static_cast<void>(floor.allocate(10, 1));
    floor.keep();
    EXPECT_EQ(floor.allocate(24, 8), memory.data() + 16);
    EXPECT_EQ(floor.allocate(24, 8), memory.data() + 40);
    EXPECT_EQ(floor.allocate(24, 8), memory.data() + 16);
}

TEST(fixed_block_objects, are_created_and_deleted_as_requested) {
    bench::recording_source source;
    bench::source_maker maker(source);
    bench::make_and_unmake(maker, 1000);
    EXPECT_EQ(source.allocations, 1000);
    EXPECT_EQ(source.deallocations, 1000);
    EXPECT_EQ(source.largest_bytes, sizeof(bench::instance));

    std::array<bench::instance*, 4> slots{};
    for (bench::instance*& slot : slots) {
        slot = maker.make(-1);
    }
    const std::array<std::uint8_t, 4> turns{0, 2, 2, 3};
    bench::replace_some(maker, slots, turns, 6);
    EXPECT_EQ(slots[0]->number(), 4);
    EXPECT_EQ(slots[1]->number(), -1);
    EXPECT_EQ(slots[2]->number(), 5);
    EXPECT_EQ(slots[3]->number(), 3);
    EXPECT_EQ(source.allocations, 1000 + 4 + 6);
    EXPECT_EQ(source.deallocations, 1000 + 6);
    for (bench::instance* slot : slots) {
        maker.unmake(slot);
    }
}

TEST(fixed_block_objects, come_from_the_pool_of_their_class) {
    auto* const first = bench::new_maker<bench::pooled_instance>::make(1);
    EXPECT_NE(bench::pooled_instance::pool().stats().chunks, 0U);
    bench::new_maker<bench::pooled_instance>::unmake(first);
}

using plain_string = std::string;
using recorded_string =
    std::basic_string<char, std::char_traits<char>, mallard::allocator<char, bench::recording_source>>;

template <class Use>
void with_versions(Use&& use) {
    std::apply([&use](auto... version) { (use(version), ...); }, bench::remove_ctrl_versions_list());
}

TEST(remove_ctrl, returns_equal_results_in_every_version) {
    const std::string text = "\x01one\ttwo\n\n three, and enough to need memory\x1f";
    with_versions([&](auto version) {
        plain_string result = "what was there before";
        decltype(version)::call(bench::remove_ctrl_input<plain_string>{text, text, {}}, result);
        EXPECT_EQ(result, "onetwo three, and enough to need memory") << version.name;
        decltype(version)::call(bench::remove_ctrl_input<plain_string>{"\n", "\n", {}}, result);
        EXPECT_EQ(result, "") << version.name;
    });
}

TEST(remove_ctrl, makes_fewer_requests_in_better_versions) {
    const std::string text = std::string(100, 'a') + '\n' + std::string(100, 'b');
    std::map<std::string, std::int64_t> requests;
    with_versions([&](auto version) {
        bench::recording_source source;
        const bench::remove_ctrl_input<recorded_string> input{
            text, recorded_string(text.data(), text.size(), source), source};
        recorded_string result(source);
        const std::int64_t initial_allocations = source.allocations;
        decltype(version)::call(input, result);
        requests[version.name] = source.allocations - initial_allocations;
    });
    // A temporary for each character, except the ones that fit into the string object; two if the library makes a
    // copy first and then appends to it.
    EXPECT_GE(requests["as-printed"], 200 - 23);
    EXPECT_LE(requests["as-printed"], 2 * 200);
    EXPECT_LE(requests["append"], 5);
    EXPECT_GE(requests["append"], 2);
    for (const char* name : {"reserve", "reference", "iterators", "blocks", "erase", "result"}) {
        EXPECT_EQ(requests[name], 1) << name;
    }
}

const std::map<std::string, bool (*)(const bench::strategy&) noexcept> works = {
    {"new-delete", bench::has_objects}, {"replace", bench::has_objects},     {"list", bench::has_containers},
    {"map", bench::has_containers},     {"remove-ctrl", bench::has_strings},
};

TEST(fixed_block, gives_equal_results_under_all_strategies) {
    for (const auto& [work, offered] : works) {
        const std::string line = "--count 200 --work " + work + " --strategy ";
        const bench::row reference = run_words(bench::run_fixed_block, line + "new-delete");
        ASSERT_EQ(reference.checksum.size(), 16U) << work;
        ASSERT_TRUE(reference.allocations.has_value()) << work;
        for (const bench::strategy& s : bench::strategies()) {
            if (!offered(s)) {
                continue;
            }
            const bench::row row = run_words(bench::run_fixed_block, line + std::string(s.name));
            EXPECT_EQ(row.checksum, reference.checksum) << work << ' ' << s.name;
            EXPECT_EQ(row.allocations, reference.allocations) << work << ' ' << s.name;
            EXPECT_EQ(row.deallocations, reference.deallocations) << work << ' ' << s.name;
            EXPECT_EQ(row.operations, 200) << work << ' ' << s.name;
            EXPECT_GT(row.timed.wall_ns, 0) << work << ' ' << s.name;
        }
    }
}

TEST(fixed_block, has_every_version_of_remove_ctrl) {
    const std::vector<std::string> versions = bench::remove_ctrl_versions();
    ASSERT_EQ(versions.front(), "as-printed");
    std::string checksum;
    for (const std::string& version : versions) {
        for (const char* name : {"null", "new-delete", "multipool", "multipool/base", "fixed-string"}) {
            const bench::row row =
                run_words(bench::run_fixed_block,
                          "--count 20 --work remove-ctrl --version " + version + " --strategy " + name);
            checksum = checksum.empty() ? row.checksum : checksum;
            EXPECT_EQ(row.checksum, checksum) << version << ' ' << name;
        }
    }
}

TEST(fixed_block, makes_a_request_per_element) {
    for (const char* work : {"list", "map"}) {
        const bench::row row =
            run_words(bench::run_fixed_block, "--count 3 --strategy multipool --work " + std::string(work));
        EXPECT_EQ(row.allocations, 1000) << work;
        EXPECT_EQ(row.deallocations, 1000) << work;
    }
}

#ifdef __cpp_exceptions
TEST(fixed_block_usage, refuses_invalid_options) {
    const auto expect_error = [](const std::string& line, const std::string& text) {
        const std::string message = error_message(bench::run_fixed_block, line);
        EXPECT_NE(message.find(text), std::string::npos) << line << ": " << message;
    };
    expect_error("--strategy multipool",
                 "--work '': allowed are new-delete, replace, list, map, remove-ctrl");
    expect_error("--work list --strategy monotonic", "--strategy 'monotonic': allowed are null, new-delete");
    expect_error("--work list --strategy class-new", "--strategy 'class-new'");
    expect_error("--work replace --strategy fixed-string", "--strategy 'fixed-string'");
    expect_error("--work list --strategy multipool --version append", "only --work remove-ctrl has versions");
    expect_error("--work remove-ctrl --strategy multipool --version quick", "allowed are as-printed, append");
    expect_error("--work list --strategy multipool --count 0", "--count '0'");
}
#endif

} // namespace
