// The entry of libFuzzer: the first byte chooses a heap, the others its operations (CONTRIBUTING.md).
#include "fuzz/heaps.hpp"
#include "model/turn.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const std::vector<model::kind> heaps = fuzz::heaps();
    if (size == 0) {
        return 0;
    }
    const model::kind& k = heaps[data[0] % heaps.size()];
    const std::string fault = model::play_bytes(k, std::span(data, size).subspan(1)).fault;
    if (!fault.empty()) {
        std::fprintf(stderr, "%s: %s\n", k.name().c_str(), fault.c_str());
        std::abort();
    }
    return 0;
}
