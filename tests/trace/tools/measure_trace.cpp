// Writes the trace of a recording and reads it, and says what an event takes: bytes, and time to write and to read.
//
//     measure_trace PART TRACE [REPEAT]
#include "trace/part_file.hpp"
#include "trace/reader.hpp"

#include <cstdio>
#include <cstdlib>
#include <ctime>

namespace {

double seconds() {
    timespec now{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

void measure(const char* part, const char* file) {
    double begin = seconds();
    mallard::trace::writer to(file, {});
    mallard::test::add_part(part, to);
    to.finish();
    const auto events = static_cast<double>(to.events());
    const double written = seconds() - begin;

    begin = seconds();
    mallard::trace::reader from(file);
    const double opened = seconds() - begin;
    from.begin(0);
    std::uint64_t sum = 0;
    for (auto some = from.next(); !some.empty(); some = from.next()) {
        for (const auto& each : some) {
            sum += each.ticks ^ each.address;
        }
    }
    const double read = seconds() - begin;
    std::printf("%.0f events, %zu contexts, %llu damaged, %.3f bytes, write %.1f ns, open %.1f ns, read %.1f "
                "ns an event (%llx)\n",
                events, from.contexts(0).size(), static_cast<unsigned long long>(to.damaged_chunks()),
                static_cast<double>(to.bytes()) / events, written / events * 1e9, opened / events * 1e9,
                read / events * 1e9, static_cast<unsigned long long>(sum));
}

} // namespace

int main(int count, char** words) {
    if (count < 3) {
        std::fputs("usage: measure_trace PART TRACE [REPEAT]\n", stderr);
        return 2;
    }
    for (int left = count > 3 ? std::atoi(words[3]) : 1; left > 0; --left) {
        measure(words[1], words[2]);
    }
}
