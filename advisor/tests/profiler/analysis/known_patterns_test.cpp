/// Patterns without an owning function, and the search of scopes by name.
#include "profiler/analysis/story.hpp"
#include "profiler/report/profile_report.hpp"

#include <gtest/gtest.h>

namespace {

using mallard::advisor::unknown_scope;
using mallard::test::story;

/// Returns: the text of the field's list, up to the next field.
std::string read_section(const std::string& profile, const std::string& field, const std::string& next) {
    const std::size_t from = profile.find("\"" + field + "\":[");
    const std::size_t to = profile.find("\"" + next + "\":", from);
    return from == std::string::npos || to == std::string::npos ? "" : profile.substr(from, to - from);
}
std::string iterations(story& program) {
    return read_section(program.profile(), "iterations", "owners");
}
/// Returns: the document's list of owners, which sites also have.
std::string owners(story& program) {
    const std::string profile = program.profile();
    const std::size_t from = profile.find("\"owners\":[", profile.find("\"iterations\":["));
    return profile.substr(from, profile.find("\"almost_contained\":") - from);
}

TEST(known_patterns, report_loops_that_free_their_blocks_each_round) {
    story program;
    program.call("main");
    std::vector<story::block> settings;
    settings.push_back(program.allocate(1000, 1));
    program.call("serve", 2);
    for (int request = 0; request < 10; ++request) {
        program.call("read", 1);
        const story::block text = program.allocate(100);
        program.leave().call("answer", 2);
        const story::block reply = program.allocate(50);
        program.leave().call("send", 3);
        program.free(text, 1);
        program.free(reply, 2);
        program.leave();
    }
    program.leave();
    for (const story::block block : settings) {
        program.free(block, 5);
    }
    const std::string section = iterations(program);
    EXPECT_NE(section.find(
                  R"("returns":10,"activations":1,"allocations":20,"bytes":1500,"most_bytes_between":150)"),
              std::string::npos)
        << section;
    EXPECT_EQ(program.scope("read").contained, 0U);
    EXPECT_EQ(program.scope("serve").owned, 20U);
    EXPECT_EQ(program.scope("serve").returns, 10U);
    EXPECT_EQ(program.scope("serve").most_between_returns, 150U);
}

TEST(known_patterns, count_the_growth_of_arrays) {
    using kind = mallard::trace::record_kind;
    story program;
    program.call("main").call("push");
    for (int array = 0; array < 3; ++array) {
        story::block items = program.allocate(10, 1, kind::realloc);
        items = program.reallocate(items, 20);
        items = program.reallocate(items, 40);
        items = program.reallocate(items, 30); // shrinks
        program.free(items);
        program.free(program.allocate(50, 2)); // no realloc
    }
    const std::string profile = program.profile();
    EXPECT_NE(
        profile.find(
            R"("growth":{"allocations":6,"from_bytes":90,"to_bytes":180,"final_allocations":6,"final_p99_bytes":40})"),
        std::string::npos)
        << profile;
    EXPECT_NE(
        profile.find(
            R"("growth":{"allocations":0,"from_bytes":0,"to_bytes":0,"final_allocations":3,"final_p99_bytes":50})"),
        std::string::npos)
        << profile;
}

TEST(known_patterns, report_the_final_size_of_nearly_all_arrays) {
    story program;
    program.call("main").call("push");
    for (int array = 0; array < 200; ++array) {
        story::block items = program.allocate(array == 0 ? 16 : 8, 1); // the first blocks of another line
        items = program.reallocate(items, 32);
        for (std::uint64_t bytes = 48; array <= 2 && bytes <= 96; bytes += 8) {
            items = program.reallocate(items, bytes);
        }
        program.free(items);
    }
    const std::string profile = program.profile();
    EXPECT_NE(profile.find(R"("final_allocations":200,"final_p99_bytes":96)"), std::string::npos)
        << "3 of 200: " << profile;
    story few;
    few.call("main").call("push");
    for (int array = 0; array < 200; ++array) {
        story::block items = few.reallocate(few.allocate(8, 1), 32);
        items = array < 2 ? few.reallocate(items, 96) : items;
        few.free(items);
    }
    EXPECT_NE(few.profile().find(R"("final_allocations":200,"final_p99_bytes":32)"), std::string::npos)
        << few.profile();
}

TEST(known_patterns, report_control_calls_by_site_with_their_time) {
    using kind = mallard::trace::record_kind;
    story program;
    program.call("main");
    for (int request = 0; request < 3; ++request) {
        program.call("handle", 7);
        program.free(program.allocate(100));
        program.control(kind::malloc_trim, 2'000'000, 9); // longer than any allocation takes
        program.leave();
    }
    program.control(kind::mallopt, 1000, 8);
    const std::string section = read_section(program.profile(), "control_calls", "markers");
    const std::size_t trim = section.find(R"("name":"malloc_trim","place":)");
    const std::size_t option = section.find(R"("name":"mallopt","place":)");
    ASSERT_NE(option, std::string::npos) << section;
    EXPECT_LT(trim, option) << section;
    EXPECT_NE(section.find(R"("calls":3,"seconds":0.006,)"), std::string::npos) << section;
    EXPECT_NE(section.find(R"("calls":1,"seconds":1.0)"), std::string::npos) << section;
    EXPECT_EQ(program.analysis().counted().timed_events, 0U);
    EXPECT_EQ(program.analysis().counted().interrupted_events, 0U);
}

TEST(known_patterns, subtract_the_stamp_from_the_mean_of_operations) {
    story program;
    program.process.stamp_ticks = 24.5;
    program.call("main");
    for (const std::uint64_t ticks : {1U, 27U, 27U, 53U}) { // 0 to 2 steps of 26
        program.allocate(100);
        program.time(ticks, 51).wait(1000);
    }
    program.control(mallard::trace::record_kind::malloc_trim, 1025, 9);
    const std::string profile = program.profile();
    for (const char* const text : {R"("samples":4,"ns_per_operation":2.5,"recorder_ns_per_operation":26.5)",
                                   R"("calls":1,"seconds":1.0005e-06)"}) {
        EXPECT_NE(profile.find(text), std::string::npos) << text << "\n" << profile;
    }
}

TEST(known_patterns, have_no_negative_time_of_an_operation) {
    story program;
    program.process.stamp_ticks = 30;
    program.call("main").allocate(100);
    program.time(27, 51).wait(1000).allocate(100);
    program.time(27, 10'000'000).wait(1000); // the thread lost its processor in the recorder
    const std::string profile = program.profile();
    EXPECT_NE(profile.find(R"("ns_per_operation":0,"recorder_ns_per_operation":10.5)"), std::string::npos)
        << profile;
}

TEST(known_patterns, do_not_report_accumulating_blocks_as_iterations) {
    story program;
    program.call("main").call("fill");
    std::vector<story::block> all;
    for (int round = 0; round < 10; ++round) {
        program.call("make", 1);
        all.push_back(program.allocate(100));
        program.leave();
    }
    for (const story::block block : all) {
        program.free(block, 2);
    }
    EXPECT_EQ(iterations(program), R"("iterations":[],)");
}

TEST(known_patterns, attribute_blocks_to_the_destructor_that_frees_them) {
    story program;
    program.call("main");
    for (int document = 0; document < 2; ++document) {
        std::vector<story::block> nodes;
        for (int line = 0; line < 20; ++line) {
            program.call("add", 1);
            nodes.push_back(program.allocate(40));
            program.leave();
        }
        program.call("tree::document::~document", 2).call("libvector::~libvector");
        for (const story::block node : nodes) {
            program.free(node);
        }
        program.leave().leave();
        program.allocate(1, 9);
    }
    const std::string section = owners(program);
    EXPECT_NE(section.find(
                  R"("class":"tree::document","allocations":40,"bytes":1600,"calls":2,"blocks_a_call":20,)"),
              std::string::npos)
        << section;
    EXPECT_EQ(section.find("libvector"), std::string::npos);
}

TEST(known_patterns, report_sites_and_break_even_of_few_escapes) {
    story program;
    program.call("main").call("parse");
    std::vector<story::block> temporary;
    for (int block = 0; block < 18; ++block) {
        temporary.push_back(program.allocate(100, 1));
    }
    const story::block result = program.allocate(100, 77);
    const story::block second_result = program.allocate(100, 77);
    for (const story::block block : temporary) {
        program.free(block, 3);
    }
    program.leave();
    program.free(result, 4);
    program.free(second_result, 4);
    const std::string section = read_section(program.profile(), "almost_contained", "already_pooled");
    EXPECT_NE(section.find(R"("containment":0.9,"escapes_from":[{"place":)"), std::string::npos) << section;
    EXPECT_NE(section.find(R"("allocations":2,"bytes":200}],"break_even":null)"), std::string::npos)
        << section;
}

TEST(known_patterns, distinguish_pool_chunks_from_growing_buffers) {
    story program;
    program.call("main");
    std::vector<story::block> chunks;
    story::block buffer = program.allocate(4096, 50);
    for (int chunk = 0; chunk < 6; ++chunk) {
        program.call("arena::refill", 1);
        chunks.push_back(program.allocate(4096));
        program.leave();
        buffer = program.reallocate(buffer, 4096U << (chunk + 1), 51);
    }
    for (const story::block chunk : chunks) {
        program.free(chunk, 2);
    }
    const std::string section = read_section(program.profile(), "already_pooled", "control_calls");
    EXPECT_NE(section.find(R"("blocks":6,"bytes":24576,"smallest":4096,"largest":4096,"growing":false,)"
                           R"("most_alive":6,"frees":6,"named":true})"),
              std::string::npos)
        << section;
    EXPECT_EQ(section.find("blocks", section.find("blocks") + 1), std::string::npos) << section;
}

TEST(scope_search, finds_names_and_unambiguous_parts_of_names) {
    story program;
    program.call("main").call("parser::parse");
    program.free(program.allocate(10), 2);
    for (const char* name : {"parser::parse", "parse"}) {
        EXPECT_NE(program.profile(name).find(R"("scope":{"kind":"function","row":{"id":)"), std::string::npos)
            << name;
    }
}

TEST(scope_search, offers_the_nearest_names) {
    story program;
    program.call("main").call("parser::parse");
    program.free(program.allocate(10), 2);
    try {
        program.profile("prase");
        FAIL();
    } catch (const unknown_scope& error) {
        EXPECT_STREQ(error.what(), "There is no scope 'prase' that allocates. The nearest names are: "
                                   "parser::parse, main.");
    }
}

TEST(scope_search, refuses_ambiguous_names) {
    story program;
    program.call("main").call("a::parse").call("b::parse");
    program.free(program.allocate(10), 2);
    EXPECT_THROW(program.profile("parse"), unknown_scope);
    EXPECT_THROW(program.profile(""), unknown_scope);
}

TEST(scope_search, lists_short_names_where_they_are_unique) {
    story program;
    program.call("main")
        .call("a::parse(int, std::string const&)")
        .call("b::parse(int)")
        .call("b::parse(long)");
    program.free(program.allocate(10), 2);
    try {
        program.profile("parse");
        FAIL();
    } catch (const unknown_scope& error) {
        EXPECT_STREQ(error.what(), "Several scopes have 'parse' in their names: a::parse, b::parse(int), "
                                   "b::parse(long). Give one of them.");
    }
}

TEST(scope_search, takes_marked_scopes_first) {
    story program;
    program.call("request");
    program.mark(mallard::trace::record_kind::scope_begin, 1);
    program.free(program.allocate(10), 2);
    program.marked_names = {"", "request"};
    EXPECT_NE(program.profile("request").find(R"("scope":{"kind":"marker")"), std::string::npos);
}

} // namespace
