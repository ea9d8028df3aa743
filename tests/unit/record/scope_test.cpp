#include <mallard/record/scope.hpp>

#include <gtest/gtest.h>

#include <string>
#include <type_traits>
#include <utility>

namespace {

using mallard::record::number;
using mallard::record::site;

std::string calls;
number last_instance = 0;

std::string taken() {
    return std::exchange(calls, "");
}

void note(const char* event, const site* at) {
    calls += event;
    calls += at->name;
    calls += ' ';
}

void note(const char* event, number instance) {
    calls += event + std::to_string(instance - last_instance) + ' ';
}

const mallard::record::functions noting{
    .scope_begin = [](site* at) { note("+", at); },
    .scope_end = [](site* at) { note("-", at); },
    .progress = [](site* at) { note("!", at); },
    .instance_begin =
        [](const char* name) {
            calls += name;
            calls += ' ';
            return ++last_instance;
        },
    .instance_end = [](number instance) { note("end", instance); },
    .instance_enter = [](number instance) { note("in", instance); },
    .instance_leave = [](number instance) { note("out", instance); },
    .pool = nullptr,
    .allocated = nullptr,
    .freed = nullptr,
    .released = nullptr,
    .rolled_back = nullptr,
};

class scope : public ::testing::Test {
protected:
    scope() { mallard_recorder = &noting; }
    scope(const scope&) = delete;
    scope& operator=(const scope&) = delete;
    ~scope() override { mallard_recorder = nullptr; }
};

void nested(int value) {
    MALLARD_SCOPE("outer");
    if (value == 0) {
        return;
    }
    MALLARD_SCOPE("rest");
    {
        MALLARD_SCOPE("outer"); // a name may be used again, in an inner block too
        MALLARD_PROGRESS("value");
    }
}

template <class T>
void in_template(T value) {
    MALLARD_SCOPE("template");
    if (value > 0) {
        MALLARD_PROGRESS("one");
    } else {
        MALLARD_PROGRESS("other");
    }
}

TEST_F(scope, begins_and_ends_with_block) {
    nested(1);
    EXPECT_EQ(taken(), "+outer +rest +outer !value -outer -rest -outer ");
    nested(0);
    EXPECT_EQ(taken(), "+outer -outer ");
    in_template(1);
    in_template(-1.0);
    EXPECT_EQ(taken(), "+template !one -template +template !other -template ");
    for (int turn = 0; turn < 3; ++turn) {
        MALLARD_SCOPE("turn");
        if (turn == 0) {
            continue;
        }
        break;
    }
    EXPECT_EQ(taken(), "+turn -turn +turn -turn ");
}

#ifdef __cpp_exceptions

TEST_F(scope, ends_when_exception_unwinds_block) {
    try {
        MALLARD_SCOPE("left");
        throw 1;
    } catch (int) {
        MALLARD_PROGRESS("caught");
    }
    EXPECT_EQ(taken(), "+left -left !caught ");
}

#endif

TEST_F(scope, object_enters_repeatedly_and_ends_once) {
    {
        mallard::record::scope request(std::string("request").c_str());
        EXPECT_TRUE(request.is_recorded());
        {
            const auto entered = request.enter();
            const auto again = request.enter();
        }
        const auto later = request.enter();
    }
    EXPECT_EQ(taken(), "request in0 in0 out0 out0 in0 out0 end0 ");
}

TEST_F(scope, object_is_movable) {
    mallard::record::scope none;
    EXPECT_FALSE(none.is_recorded());
    {
        const auto nowhere = none.enter();
    }
    mallard::record::scope request("request");
    mallard::record::scope moved(std::move(request));
    none = std::move(moved);
    EXPECT_TRUE(none.is_recorded());
    auto& alias = none;
    none = std::move(alias);
    EXPECT_TRUE(none.is_recorded());
    none = mallard::record::scope("next");
    none.end();
    none.end();
    EXPECT_FALSE(none.is_recorded());
    EXPECT_EQ(taken(), "request next end18446744073709551615 end0 ");
    EXPECT_FALSE(std::is_copy_constructible_v<mallard::record::scope>);
    EXPECT_FALSE(std::is_copy_constructible_v<mallard::record::entered>);
}

TEST(scope_without_recorder, is_not_recorded) {
    EXPECT_EQ(&mallard_record_functions, nullptr);
    mallard::record::scope request("request");
    EXPECT_FALSE(request.is_recorded());
    {
        const auto entered = request.enter();
        nested(1);
    }
    EXPECT_EQ(taken(), "");
}

} // namespace
