// Writes the trace of a recording and reads it, and prints the bytes, and the times to write and to read, for each event.
//
//     measure_trace PART TRACE [REPEAT]
#include "trace/part_file.hpp"
#include "trace/reader.hpp"

#include <cstdio>
#include <cstdlib>
#include <ctime>

namespace {

double seconds() {
    timespec time{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
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
    for (auto batch = from.next(); !batch.empty(); batch = from.next()) {
        for (const auto& event : batch) {
            sum += event.ticks ^ event.address;
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
    for (int remaining = count > 3 ? std::atoi(words[3]) : 1; remaining > 0; --remaining) {
        measure(words[1], words[2]);
    }
}
