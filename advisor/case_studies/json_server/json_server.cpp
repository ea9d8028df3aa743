// A server with two threads: requests are posted to a pool of Boost.Asio; each is parsed by Boost.JSON, answered and
// discarded. The changed builds have an allocator for each thread.
#include "advisor/case_studies/boost_json/resource.hpp"
#include "advisor/case_studies/program/documents.hpp"

#include <atomic>
#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace case_studies;

/// Returns: the checksum of an answer, which repeats the request's fields in a list.
std::uint64_t answer(std::string_view text, const boost::json::storage_ptr& storage) {
    const boost::json::value request = boost::json::parse({text.data(), text.size()}, storage);
    boost::json::object reply(storage);
    if (const boost::json::object* const fields = request.if_object()) {
        boost::json::array names(storage);
        for (const auto& field : *fields) {
            names.emplace_back(field.key());
        }
        reply["fields"] = std::move(names);
    }
    reply["request"] = request;
    checksum sum;
    add(sum, reply["request"]);
    add(sum, reply["fields"]);
    return sum.value();
}

[[gnu::noinline]] std::uint64_t handle(std::string_view text) {
    if constexpr (is_build<before>) {
        return answer(text, {});
    } else if constexpr (is_build<library_pool>) {
        boost::json::monotonic_resource memory;
        return answer(text, &memory);
    } else {
        thread_local json_resource<build> memory;
        const std::uint64_t sum = answer(text, &memory);
        end_of_scope(memory.mechanism);
        return sum;
    }
}

} // namespace

int main(int argc, char** argv) {
    const work arguments = parse_arguments(argc, argv);
    const std::vector<std::string> requests = read_lines(arguments.file);
    std::atomic<std::uint64_t> sum{0};
    {
        boost::asio::thread_pool threads(2);
        for (unsigned long time = 0; time != arguments.times; ++time) {
            for (const std::string& request : requests) {
                boost::asio::post(threads, [&sum, &request] { sum += handle(request); });
            }
        }
        threads.join();
    }
    std::printf("%016llx\n", static_cast<unsigned long long>(sum.load()));
    return 0;
}
