// A request served from a stack buffer.
//
// A server handles each request in a scope: it parses, builds an answer, and forgets all of it. A monotonic
// allocator over a buffer on the stack serves such a scope without the heap. A request that is larger than the
// buffer goes on in chunks, and the allocator counts them.
#include <mallard/mallard.hpp>

#include <algorithm>
#include <array>
#include <iostream>
#include <memory_resource>
#include <string>
#include <string_view>
#include <vector>

namespace {

// All memory comes from `memory`; the code does not know its type.
std::size_t serve(std::string_view query, std::pmr::memory_resource* memory) {
    std::pmr::vector<std::pmr::string> fields(memory);
    for (std::size_t begin = 0; begin <= query.size();) {
        const std::size_t end = std::min(query.find('&', begin), query.size());
        fields.emplace_back(query.substr(begin, end - begin)); // the string gets `memory` from the vector
        begin = end + 1;
    }
    std::pmr::string answer(memory);
    for (const std::pmr::string& field : fields) {
        answer.append(field).append("; ");
    }
    return answer.size();
}

} // namespace

int main() {
    const std::string small = "customer=a name that is too long for the small-string buffer&order=4711";
    std::string large = small;
    for (int item = 0; item != 200; ++item) {
        large += "&item=an article with a rather long description, number " + std::to_string(item);
    }

    for (const std::string& query : {small, large}) {
        alignas(64) std::array<std::byte, 4096> buffer;
        mallard::resource<mallard::counted<mallard::monotonic<>>> request(std::span<std::byte>{buffer});

        const std::size_t answer_bytes = serve(query, &request);

        const mallard::allocation_counts counts = request.mechanism().counts();
        std::cout << "a query of " << query.size() << " bytes: answer of " << answer_bytes << ", "
                  << counts.allocations << " allocations, "
                  << (counts.spills == 0 ? "all of them in the buffer" : "spilled past the buffer") << '\n';
    } // the destructor returns everything at once
}
