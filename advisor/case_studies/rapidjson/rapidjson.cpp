// RapidJSON: each document is parsed, read and discarded. Before the change it allocates each value's memory from the
// C library (CrtAllocator). RapidJSON frees a block without its size, so the changed builds store it in front, unless
// nothing has to be freed.
#include "advisor/case_studies/program/build.hpp"
#include "advisor/case_studies/program/documents.hpp"
#include "advisor/case_studies/program/sized_blocks.hpp"

#include <rapidjson/document.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string_view>
#include <type_traits>

namespace {

using namespace case_studies;

template <class Mechanism>
class sized_allocator {
    using blocks = sized_blocks<Mechanism>;

public:
    static constexpr bool kNeedFree = !requires(Mechanism& m) { m.rewind(); };
    inline static Mechanism& mechanism = blocks::mechanism;

    void* Malloc(std::size_t bytes) { return bytes == 0 ? nullptr : blocks::allocate(bytes); }
    void* Realloc(void* block, std::size_t /*old_bytes*/, std::size_t bytes) {
        if (bytes == 0) {
            Free(block);
            return nullptr;
        }
        return blocks::reallocate(block, bytes);
    }
    static void Free(void* block) noexcept { blocks::deallocate(block); }
    bool operator==(const sized_allocator& /*other*/) const noexcept { return true; }
    bool operator!=(const sized_allocator& /*other*/) const noexcept { return false; }
};

/// Memory that only a rewind frees.
class region_allocator {
public:
    static constexpr bool kNeedFree = false;
    inline static monotonic_build mechanism;

    void* Malloc(std::size_t bytes) { return bytes == 0 ? nullptr : mechanism.allocate(bytes, 8); }
    void* Realloc(void* block, std::size_t old_bytes, std::size_t bytes) {
        if (block != nullptr && mechanism.resize_last(block, rounded(old_bytes), rounded(bytes))) {
            return block;
        }
        void* const moved = Malloc(bytes);
        if (block != nullptr && moved != nullptr) {
            std::memcpy(moved, block, std::min(old_bytes, bytes));
        }
        return moved;
    }
    static void Free(void* /*block*/) noexcept {}
    bool operator==(const region_allocator& /*other*/) const noexcept { return true; }
    bool operator!=(const region_allocator& /*other*/) const noexcept { return false; }

private:
    static constexpr std::size_t rounded(std::size_t bytes) { return (bytes + 7) / 8 * 8; }
};

template <class Build>
struct build_allocator {
    using type = sized_allocator<Build>;
};
template <>
struct build_allocator<before> {
    using type = rapidjson::CrtAllocator;
};
template <>
struct build_allocator<library_pool> {
    using type = rapidjson::MemoryPoolAllocator<>;
};
template <>
struct build_allocator<library_pool_reused> {
    using type = rapidjson::MemoryPoolAllocator<>;
};
template <>
struct build_allocator<monotonic_build> {
    using type = region_allocator;
};

template <class Allocator>
void add(checksum& sum, const rapidjson::GenericValue<rapidjson::UTF8<>, Allocator>& value) {
    if (value.IsObject()) {
        for (const auto& member : value.GetObject()) {
            sum.add(std::string_view(member.name.GetString(), member.name.GetStringLength()));
            add(sum, member.value);
        }
    } else if (value.IsArray()) {
        for (const auto& element : value.GetArray()) {
            add(sum, element);
        }
    } else if (value.IsString()) {
        sum.add(std::string_view(value.GetString(), value.GetStringLength()));
    } else if (value.IsInt64()) {
        sum.add(std::int64_t{value.GetInt64()});
    } else if (value.IsDouble()) {
        sum.add(value.GetDouble());
    } else {
        sum.add(value.IsTrue());
    }
}

template <class Document>
std::uint64_t read(Document& parsed, std::string_view text) {
    parsed.Parse(text.data(), text.size());
    checksum sum;
    add(sum, parsed);
    return sum.value();
}

template <class Build>
std::uint64_t read_in(std::string_view text) {
    using allocator = typename build_allocator<Build>::type;
    using document = rapidjson::GenericDocument<rapidjson::UTF8<>, allocator>;
    if constexpr (std::is_same_v<Build, before> || std::is_same_v<Build, library_pool>) {
        document parsed;
        return read(parsed, text);
    } else if constexpr (std::is_same_v<Build, library_pool_reused>) {
        alignas(16) static char buffer[std::size_t{1} << 16];
        allocator memory(buffer, sizeof buffer);
        document parsed(&memory);
        return read(parsed, text);
    } else {
        static allocator memory;
        std::uint64_t sum = 0;
        {
            document parsed(&memory);
            sum = read(parsed, text);
        }
        end_of_scope(allocator::mechanism);
        return sum;
    }
}

[[gnu::noinline]] std::uint64_t handle(std::string_view text) {
    return read_in<build>(text);
}

} // namespace

int main(int argc, char** argv) {
    return over_documents(argc, argv, handle);
}
