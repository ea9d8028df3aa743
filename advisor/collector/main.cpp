/// `mallard-record`: starts a program with the recorder, and writes a trace of it.

#include "collector/arguments.hpp"
#include "collector/facts.hpp"
#include "collector/failure.hpp"
#include "collector/record.hpp"

#include <malloc.h>

#include <exception>
#include <string>
#include <vector>

namespace {

constexpr int failed = 2;

// The kernel clears each new page. So freed memory is kept for the next frame.
void keep_memory() noexcept {
    constexpr int highest_threshold = 32 << 20; // the maximum of glibc
    ::mallopt(M_MMAP_THRESHOLD, highest_threshold);
    ::mallopt(M_TRIM_THRESHOLD, 32 * highest_threshold - 1);
}

int run(const std::vector<std::string>& words) {
    using namespace mallard::collector;
    const arguments args = read_arguments(words);
    open_facts(args.facts);
    return args.recover ? recover(args) : args.process != 0 ? record_process(args) : record(args);
}

} // namespace

int main(int count, char** words) {
    using namespace mallard::collector;
    keep_memory();
    int status = failed;
    try {
        status = run({words + 1, words + count});
    } catch (const std::exception& error) {
        write_error(error_in_words(error));
    }
    close_facts();
    return status;
}
