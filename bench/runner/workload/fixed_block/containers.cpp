#include "runner/harness/checksum.hpp"
#include "runner/harness/escape.hpp"
#include "runner/harness/static_buffer.hpp"
#include "runner/strategy/container_allocator.hpp"
#include "runner/strategy/null_blocks.hpp"
#include "runner/strategy/recording_source.hpp"
#include "runner/strategy/sources.hpp"
#include "runner/workload/fixed_block/works.hpp"

#include <functional>
#include <list>
#include <map>
#include <utility>

namespace bench {

namespace {

constexpr int element_count = 1000; // as in the chapter

struct list_of_integers {
    template <class Source>
    using type = std::list<int, allocator_over<int, Source>>;

    template <class List>
    static void fill(List& list) {
        for (int i = 0; i != element_count; ++i) {
            list.push_back(i);
        }
    }

    static std::uint64_t hashed(int element) noexcept { return static_cast<std::uint64_t>(element); }
};

struct map_of_integers {
    template <class Source>
    using type = std::map<int, int, std::less<>, allocator_over<std::pair<const int, int>, Source>>;

    template <class Map>
    static void fill(Map& map) {
        for (int i = 0; i != element_count; ++i) {
            map[i] = i;
        }
    }

    static std::uint64_t hashed(const std::pair<const int, int>& element) noexcept {
        return static_cast<std::uint64_t>(element.first) * 31 + static_cast<std::uint64_t>(element.second);
    }
};

template <class Kind, class Source>
typename Kind::template type<Source> empty_container(Source& source) {
    using container = typename Kind::template type<Source>;
    return container(make_allocator<typename container::allocator_type>(source));
}

/// Effects: constructs, fills and destroys `count` containers.
template <class Kind, class Source>
[[gnu::noinline]] void make_and_destroy(Source& source, std::size_t count) {
    for (std::size_t i = 0; i != count; ++i) {
        auto elements = empty_container<Kind>(source);
        Kind::fill(elements);
        escape(&elements);
    }
}

/// Returns: the checksum of a filled container.
template <class Kind, class Source>
std::string checksum_from(Source& source) {
    auto elements = empty_container<Kind>(source);
    Kind::fill(elements);
    checksum sum;
    for (const auto& element : elements) {
        sum.add(Kind::hashed(element));
    }
    return to_hexadecimal(sum.value());
}

/// Returns: the requests of one container.
template <class Kind>
recording_source requests_of_one() {
    recording_source requests;
    make_and_destroy<Kind>(requests, 1);
    return requests;
}

template <class Kind>
void measure_containers(const fixed_block_cell& cell, row& result) {
    const recording_source requests = requests_of_one<Kind>();
    if (cell.look) {
        result.allocations = requests.allocations;
        result.deallocations = requests.deallocations;
    }
    const block_shape shape{requests.largest_bytes, requests.largest_alignment};
    const auto measure_from = [&](auto& source) {
        time_hot(cell.count, result, [&](std::size_t count) { make_and_destroy<Kind>(source, count); });
        result.checksum = checksum_from<Kind>(source);
    };
    if (cell.subject.mechanism == mechanism_kind::null) {
        // Each container ends before the next one, which reuses its memory.
        const std::size_t bytes = static_cast<std::size_t>(requests.allocations) * shape.stride();
        const static_buffer memory(buffer_state::warm, bytes, bytes);
        null_circle null(memory.span());
        measure_from(null);
    } else {
        with_source(cell.subject, {}, shape, measure_from);
    }
}

} // namespace

bool has_containers(const strategy& s) noexcept {
    return s.mechanism == mechanism_kind::null || recycles(s);
}

void measure_list(const fixed_block_cell& cell, row& result) {
    measure_containers<list_of_integers>(cell, result);
}

void measure_map(const fixed_block_cell& cell, row& result) {
    measure_containers<map_of_integers>(cell, result);
}

} // namespace bench
