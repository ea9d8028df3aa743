// nlohmann-json: each document is parsed, read and discarded. Its allocators have no state, so the changed builds
// have one mechanism for the process.
#include "advisor/case_studies/program/build.hpp"
#include "advisor/case_studies/program/documents.hpp"

#include <cstddef>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace {

using namespace case_studies;

struct shared_mechanism {
    inline static std::conditional_t<is_build<before>, null_build, build> mechanism;
};

template <class T>
struct allocator : shared_mechanism {
    using value_type = T;

    allocator() = default;
    template <class U>
    allocator(const allocator<U>& /*other*/) noexcept {}

    T* allocate(std::size_t count) {
        return static_cast<T*>(mechanism.allocate(count * sizeof(T), alignof(T)));
    }
    void deallocate(T* block, std::size_t count) noexcept {
        mechanism.deallocate(block, count * sizeof(T), alignof(T));
    }
    bool operator==(const allocator& /*other*/) const noexcept { return true; }
};

using allocated_string = std::basic_string<char, std::char_traits<char>, allocator<char>>;
using changed = nlohmann::basic_json<std::map, std::vector, allocated_string, bool, std::int64_t,
                                     std::uint64_t, double, allocator>;
using json = std::conditional_t<is_build<before>, nlohmann::json, changed>;

void add(checksum& sum, const json& value) {
    switch (value.type()) {
    case json::value_t::object:
        for (const auto& [key, member] : value.get_ref<const json::object_t&>()) {
            sum.add(std::string_view(key));
            add(sum, member);
        }
        break;
    case json::value_t::array:
        for (const json& element : value) {
            add(sum, element);
        }
        break;
    case json::value_t::string:
        sum.add(std::string_view(value.get_ref<const json::string_t&>()));
        break;
    case json::value_t::number_integer:
        sum.add(value.get<std::int64_t>());
        break;
    case json::value_t::number_unsigned:
        sum.add(value.get<std::uint64_t>());
        break;
    case json::value_t::number_float:
        sum.add(value.get<double>());
        break;
    case json::value_t::boolean:
        sum.add(value.get<bool>());
        break;
    default:
        sum.add(std::uint64_t{0});
        break;
    }
}

std::uint64_t read(std::string_view text) {
    const json document = json::parse(text.begin(), text.end());
    checksum sum;
    add(sum, document);
    return sum.value();
}

[[gnu::noinline]] std::uint64_t handle(std::string_view text) {
    const std::uint64_t sum = read(text);
    if constexpr (!is_build<before>) {
        end_of_scope(shared_mechanism::mechanism);
    }
    return sum;
}

} // namespace

int main(int argc, char** argv) {
    return over_documents(argc, argv, handle);
}
