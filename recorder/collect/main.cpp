/// `mallard-record`: starts a program with the recorder in it, and makes a trace of what it does.

#include "recorder/collect/arguments.hpp"
#include "recorder/collect/failure.hpp"
#include "recorder/collect/record.hpp"
#include "recorder/collect/recover.hpp"
#include "recorder/collect/summary/summary.hpp"
#include "trace/trace_error.hpp"

#include <cstdio>
#include <exception>
#include <string>
#include <vector>

namespace {

constexpr int failed = 2;

int run(const std::vector<std::string>& words) {
    using namespace mallard::collect;
    const arguments how = read_arguments(words);
    if (how.help) {
        std::fputs(usage, stdout);
        return 0;
    }
    return how.recover ? recover(how) : record(how);
}

} // namespace

int main(int count, char** words) {
    try {
        return run({words + 1, words + count});
    } catch (const std::exception& error) {
        mallard::collect::say(std::string("error: ") + error.what());
        return failed;
    }
}
