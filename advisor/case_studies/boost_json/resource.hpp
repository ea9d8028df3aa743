/// An allocator of a build behind the memory_resource of Boost.JSON, which is not that of the standard library.
#pragma once

#include "advisor/case_studies/program/build.hpp"
#include "advisor/case_studies/program/checksum.hpp"

#include <boost/json.hpp>
#include <cstddef>
#include <string_view>
#include <type_traits>

namespace case_studies {

template <class Mechanism>
class json_resource final : public boost::json::memory_resource {
public:
    Mechanism mechanism;

private:
    void* do_allocate(std::size_t bytes, std::size_t alignment) override {
        return mechanism.allocate(bytes, alignment);
    }
    void do_deallocate(void* block, std::size_t bytes, std::size_t alignment) override {
        mechanism.deallocate(block, bytes, alignment);
    }
    [[nodiscard]] bool do_is_equal(const boost::json::memory_resource& other) const noexcept override {
        return this == &other;
    }
};

inline void add(checksum& sum, const boost::json::value& value) {
    switch (value.kind()) {
    case boost::json::kind::object:
        for (const auto& member : value.get_object()) {
            sum.add(std::string_view(member.key().data(), member.key().size()));
            add(sum, member.value());
        }
        break;
    case boost::json::kind::array:
        for (const boost::json::value& element : value.get_array()) {
            add(sum, element);
        }
        break;
    case boost::json::kind::string:
        sum.add(std::string_view(value.get_string().data(), value.get_string().size()));
        break;
    case boost::json::kind::int64:
        sum.add(value.get_int64());
        break;
    case boost::json::kind::uint64:
        sum.add(value.get_uint64());
        break;
    case boost::json::kind::double_:
        sum.add(value.get_double());
        break;
    case boost::json::kind::bool_:
        sum.add(value.get_bool());
        break;
    case boost::json::kind::null:
        sum.add(std::uint64_t{0});
        break;
    }
}

} // namespace case_studies

/// Boost.JSON leaves out the destruction of values whose memory a rewind takes back.
template <>
struct boost::json::is_deallocate_trivial<case_studies::json_resource<case_studies::monotonic_build>>
    : std::true_type {};
template <>
struct boost::json::is_deallocate_trivial<
    case_studies::json_resource<case_studies::multipool_monotonic_build>> : std::true_type {};
