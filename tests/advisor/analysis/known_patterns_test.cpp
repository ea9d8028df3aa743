/// Memory that no function owns, and how a scope is found by name.
#include "advisor/report/profile_report.hpp"
#include "tests/advisor/analysis/story.hpp"

#include <gtest/gtest.h>

namespace {

using mallard::advisor::unknown_scope;
using mallard::test::story;

/// Returns: the text of that field's list, up to the next field.
std::string part(const std::string& profile, const std::string& field, const std::string& next) {
    const std::size_t from = profile.find("\"" + field + "\":[");
    const std::size_t to = profile.find("\"" + next + "\":", from);
    return from == std::string::npos || to == std::string::npos ? "" : profile.substr(from, to - from);
}
std::string iterations(story& tell) {
    return part(tell.profile(), "iterations", "owners");
}
/// The whole of `owners`, which sites have a field of that name as well.
std::string owners(story& tell) {
    const std::string profile = tell.profile();
    const std::size_t from = profile.find("\"owners\":[", profile.find("\"iterations\":["));
    return profile.substr(from, profile.find("\"almost_contained\":") - from);
}

TEST(known_patterns, a_loop_whose_blocks_are_gone_after_each_round_is_an_iteration) {
    story tell;
    tell.call("main");
    std::vector<story::block> settings;
    settings.push_back(tell.allocate(1000, 1));
    tell.call("serve", 2);
    for (int request = 0; request < 10; ++request) {
        tell.call("read", 1);
        const story::block text = tell.allocate(100);
        tell.leave().call("answer", 2);
        const story::block reply = tell.allocate(50);
        tell.leave().call("send", 3);
        tell.free(text, 1);
        tell.free(reply, 2);
        tell.leave();
    }
    tell.leave();
    for (const story::block each : settings) {
        tell.free(each, 5);
    }
    const std::string found = iterations(tell);
    EXPECT_NE(
        found.find(R"("returns":10,"activations":1,"allocations":20,"bytes":1500,"most_bytes_between":150)"),
        std::string::npos)
        << found;
    EXPECT_EQ(tell.scope("read").contained, 0U);
    EXPECT_EQ(tell.scope("serve").owned, 20U);
    EXPECT_EQ(tell.scope("serve").returns, 10U);
    EXPECT_EQ(tell.scope("serve").most_between_returns, 150U);
}

TEST(known_patterns, blocks_that_pile_up_are_no_iteration) {
    story tell;
    tell.call("main").call("fill");
    std::vector<story::block> all;
    for (int round = 0; round < 10; ++round) {
        tell.call("make", 1);
        all.push_back(tell.allocate(100));
        tell.leave();
    }
    for (const story::block each : all) {
        tell.free(each, 2);
    }
    EXPECT_EQ(iterations(tell), R"("iterations":[],)");
}

TEST(known_patterns, a_destructor_owns_the_blocks_that_it_frees_together) {
    story tell;
    tell.call("main");
    for (int document = 0; document < 2; ++document) {
        std::vector<story::block> nodes;
        for (int line = 0; line < 20; ++line) {
            tell.call("add", 1);
            nodes.push_back(tell.allocate(40));
            tell.leave();
        }
        tell.call("tree::document::~document", 2).call("libvector::~libvector");
        for (const story::block each : nodes) {
            tell.free(each);
        }
        tell.leave().leave();
        tell.allocate(1, 9);
    }
    const std::string found = owners(tell);
    EXPECT_NE(
        found.find(R"("class":"tree::document","allocations":40,"bytes":1600,"calls":2,"blocks_a_call":20,)"),
        std::string::npos)
        << found;
    EXPECT_EQ(found.find("libvector"), std::string::npos);
}

TEST(known_patterns, a_scope_with_few_escapes_says_where_they_are_made_and_when_it_is_worth_it) {
    story tell;
    tell.call("main").call("parse");
    std::vector<story::block> temporary;
    for (int block = 0; block < 18; ++block) {
        temporary.push_back(tell.allocate(100, 1));
    }
    const story::block result = tell.allocate(100, 77);
    const story::block other = tell.allocate(100, 77);
    for (const story::block each : temporary) {
        tell.free(each, 3);
    }
    tell.leave();
    tell.free(result, 4);
    tell.free(other, 4);
    const std::string found = part(tell.profile(), "almost_contained", "already_pooled");
    EXPECT_NE(found.find(R"("containment":0.9,"escapes_from":[{"place":)"), std::string::npos) << found;
    EXPECT_NE(found.find(R"("allocations":2,"bytes":200}],"break_even":null)"), std::string::npos) << found;
}

TEST(known_patterns, chunks_of_a_pool_are_told_from_a_buffer_that_grows) {
    story tell;
    tell.call("main");
    std::vector<story::block> chunks;
    story::block buffer = tell.allocate(4096, 50);
    for (int chunk = 0; chunk < 6; ++chunk) {
        tell.call("arena::refill", 1);
        chunks.push_back(tell.allocate(4096));
        tell.leave();
        buffer = tell.reallocate(buffer, 4096U << (chunk + 1), 51);
    }
    for (const story::block each : chunks) {
        tell.free(each, 2);
    }
    const std::string found = part(tell.profile(), "already_pooled", "markers");
    EXPECT_NE(found.find(R"("blocks":6,"bytes":24576,"smallest":4096,"largest":4096,"growing":false,)"
                         R"("most_alive":6,"frees":6,"named":true})"),
              std::string::npos)
        << found;
    EXPECT_EQ(found.find("blocks", found.find("blocks") + 1), std::string::npos) << found;
}

TEST(scope_search, finds_a_whole_name_and_the_only_part_of_a_name) {
    story tell;
    tell.call("main").call("parser::parse");
    tell.free(tell.allocate(10), 2);
    for (const char* name : {"parser::parse", "parse"}) {
        EXPECT_NE(tell.profile(name).find(R"("scope":{"kind":"function","row":{"id":)"), std::string::npos)
            << name;
    }
}

TEST(scope_search, offers_the_nearest_names) {
    story tell;
    tell.call("main").call("parser::parse");
    tell.free(tell.allocate(10), 2);
    try {
        tell.profile("prase");
        FAIL();
    } catch (const unknown_scope& error) {
        EXPECT_STREQ(error.what(), "There is no scope 'prase' that allocates. The nearest names are: "
                                   "parser::parse, main.");
    }
}

TEST(scope_search, names_all_that_are_possible) {
    story tell;
    tell.call("main").call("a::parse").call("b::parse");
    tell.free(tell.allocate(10), 2);
    EXPECT_THROW(tell.profile("parse"), unknown_scope);
    EXPECT_THROW(tell.profile(""), unknown_scope);
}

TEST(scope_search, names_scopes_without_their_parameters_where_that_is_enough) {
    story tell;
    tell.call("main").call("a::parse(int, std::string const&)").call("b::parse(int)").call("b::parse(long)");
    tell.free(tell.allocate(10), 2);
    try {
        tell.profile("parse");
        FAIL();
    } catch (const unknown_scope& error) {
        EXPECT_STREQ(error.what(), "Several scopes have 'parse' in their names: a::parse, b::parse(int), "
                                   "b::parse(long). Give one of them.");
    }
}

TEST(scope_search, takes_marked_scopes_first) {
    story tell;
    tell.call("request");
    tell.mark(mallard::trace::record_kind::scope_begin, 1);
    tell.free(tell.allocate(10), 2);
    tell.marked_names = {"", "request"};
    EXPECT_NE(tell.profile("request").find(R"("scope":{"kind":"marker")"), std::string::npos);
}

} // namespace
