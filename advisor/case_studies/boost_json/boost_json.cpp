// Boost.JSON: each document is parsed, read and discarded.
#include "advisor/case_studies/boost_json/resource.hpp"
#include "advisor/case_studies/program/documents.hpp"

#include <string_view>

namespace {

using namespace case_studies;

std::uint64_t read(std::string_view text, const boost::json::storage_ptr& storage) {
    const boost::json::value document = boost::json::parse({text.data(), text.size()}, storage);
    checksum sum;
    add(sum, document);
    return sum.value();
}

[[gnu::noinline]] std::uint64_t handle(std::string_view text) {
    if constexpr (is_build<before>) {
        return read(text, {});
    } else if constexpr (is_build<library_pool>) {
        boost::json::monotonic_resource memory;
        return read(text, &memory);
    } else {
        static json_resource<build> memory;
        const std::uint64_t sum = read(text, &memory);
        end_of_scope(memory.mechanism);
        return sum;
    }
}

} // namespace

int main(int argc, char** argv) {
    return over_documents(argc, argv, handle);
}
