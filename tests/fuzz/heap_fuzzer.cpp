// The entry of libFuzzer: the first byte chooses a heap, the others its operations (docs/extending.md).
#include "fuzz/heap_grounds.hpp"
#include "fuzz/heap_operations.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>

namespace {

template <class Ground>
void run(std::span<const std::uint8_t> bytes) {
    Ground ground;
    std::string wrong = fuzz::heap_operations<Ground>(ground, bytes, {}).run();
    if (wrong.empty()) {
        wrong = ground.end();
    }
    if (!wrong.empty()) {
        std::fprintf(stderr, "%s\n", wrong.c_str());
        std::abort();
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) {
        return 0;
    }
    constexpr void (*runs[])(std::span<const std::uint8_t>) = {
        run<fuzz::ledger_heap>, run<fuzz::checked_heap>, run<fuzz::cached_heap>, run<fuzz::paged_heap>,
        run<fuzz::region>};
    runs[data[0] % std::size(runs)](std::span(data, size).subspan(1));
    return 0;
}
