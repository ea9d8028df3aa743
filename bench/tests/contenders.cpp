/// Plan: every strategy as a source, and the contenders in each experiment that has them.
///   1. blocks are aligned, do not overlap, and serve again after they were freed in any order
///   2. the table has the abilities of each registered mechanism's source
///   3. bursts give as many blocks as asked for, and take them back
///   4. the contenders run in the experiments that have no list of their own in the other tests
///   5. mimalloc's heaps leave the process's malloc alone
///   6. the cached monotonic resource has the upstream of mallard's monotonic
///   7. an allocator that takes a buffer begins in it
///   8. a request that a contender cannot serve, and one that this build lacks, are refused by name
#include "run_words.hpp"
#include "runner/harness/process.hpp"
#include "runner/strategy/sources.hpp"
#include "runner/workload/experiments.hpp"

#include <mallard/upstream/chunk_cache.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace {

using bench::block_shape;
using bench::capability;
using bench::error_message;
using bench::mechanism_kind;
using bench::run_words;
using bench::strategy;

/// A source with an erased type, so that the tests are compiled once.
struct any_source {
    std::function<void*()> allocate;
    std::function<void(void*)> deallocate;
};

void with_any_source(const strategy& s, block_shape shape, const std::function<void(any_source&)>& use) {
    static_cast<void>(bench::with_source(s, {}, shape, [&](auto& source) {
        any_source erased{[&] { return source.allocate(shape.bytes, shape.alignment); },
                          [&](void* p) { source.deallocate(p, shape.bytes, shape.alignment); }};
        use(erased);
    }));
}

std::vector<strategy> contenders() {
    std::vector<strategy> result;
    std::ranges::copy_if(bench::strategies(), std::back_inserter(result), &strategy::is_contender);
    return result;
}

/// The alignment of a source for a requested `alignment`: Boost's adaptive pools align to a word.
std::size_t expected_alignment(const strategy& s, std::size_t alignment) {
    return s.mechanism == mechanism_kind::boost_adaptive_pool ? std::min(alignment, sizeof(void*))
                                                              : alignment;
}

bool is_source(const strategy& s) {
    return s.frees_every_block() && s.mechanism != mechanism_kind::null;
}

/// Blocks that are filled when they are allocated, and checked when they are freed.
class written_blocks {
public:
    written_blocks(any_source& source, std::size_t bytes, std::size_t alignment)
        : source_(source), bytes_(bytes), alignment_(alignment) {}

    void allocate(std::size_t count) {
        for (std::size_t i = 0; i != count; ++i) {
            auto* block = static_cast<unsigned char*>(source_.allocate());
            EXPECT_TRUE(mallard::core::is_aligned(block, alignment_));
            const auto mark = static_cast<unsigned char>(marks_++);
            std::memset(block, mark, bytes_);
            blocks_.emplace_back(block, mark);
        }
    }

    void free_all(std::mt19937& order) {
        std::ranges::shuffle(blocks_, order);
        for (const auto& [block, mark] : blocks_) {
            EXPECT_TRUE(std::all_of(block, block + bytes_,
                                    [wanted = mark](unsigned char byte) { return byte == wanted; }));
            source_.deallocate(block);
        }
        blocks_.clear();
    }

private:
    any_source& source_;
    std::size_t bytes_;
    std::size_t alignment_;
    unsigned marks_ = 0;
    std::vector<std::pair<unsigned char*, unsigned char>> blocks_;
};

TEST(sources, return_aligned_disjoint_reusable_blocks) {
    std::mt19937 order(1);
    for (const strategy& s : bench::strategies()) {
        if (!is_source(s)) {
            continue;
        }
        for (const block_shape shape :
             {block_shape{8, 8}, block_shape{10, 2}, block_shape{24, 8}, block_shape{64, 16}}) {
            SCOPED_TRACE(std::string(s.name) + " " + std::to_string(shape.bytes));
            with_any_source(s, shape, [&](any_source& source) {
                written_blocks blocks(source, shape.bytes, expected_alignment(s, shape.alignment));
                for (int round = 0; round != 3; ++round) {
                    blocks.allocate(700);
                    blocks.free_all(order);
                }
            });
        }
    }
}

TEST(sources, reuse_freed_blocks_as_in_the_table) {
    constexpr block_shape shape{24, 8};
    for (const strategy& s : bench::strategies()) {
        if (!is_source(s) || s.mechanism == mechanism_kind::global ||
            s.mechanism == mechanism_kind::new_delete) {
            continue; // a sanitizer's malloc keeps freed blocks to itself for a while
        }
        // More than the free blocks of other tests in a pool of the process.
        constexpr std::size_t pairs = 20'000;
        std::set<void*> addresses;
        with_any_source(s, shape, [&](any_source& source) {
            for (std::size_t i = 0; i != pairs; ++i) {
                void* block = source.allocate();
                addresses.insert(block);
                source.deallocate(block);
            }
        });
        EXPECT_EQ(addresses.size() < pairs, s.can(capability::reuses)) << s.name;
    }
}

TEST(sources, begin_in_the_buffer_that_they_take) {
    alignas(16) static std::byte memory[std::size_t{1} << 14];
    for (const strategy& s : bench::strategies()) {
        if (!is_source(s) || !s.uses_buffer()) {
            continue;
        }
        static_cast<void>(bench::with_source(s, memory, block_shape{24, 8}, [&](auto& source) {
            for (int i = 0; i != 10; ++i) {
                auto* block = static_cast<std::byte*>(source.allocate(24, 8));
                EXPECT_TRUE(std::less_equal<>()(std::begin(memory), block) &&
                            std::less<>()(block, std::end(memory)))
                    << s.name;
            }
        }));
    }
}

template <class Source>
constexpr bool has_bursts = requires(Source& source) { source.allocate_many(8, 8, 1); };

TEST(sources, have_the_capabilities_of_the_table) {
    for (std::size_t i = 0; i != bench::mechanism_count; ++i) {
        bench::with_kind(static_cast<mechanism_kind>(i), [&]<mechanism_kind Kind>() {
            if constexpr (bench::registered<Kind>) {
                const bench::mechanism_row& row = bench::find_row(Kind);
                const bool by_type = bench::serves_containers_by_type<Kind>;
                const bool sized = bench::source_traits<Kind>::sized;
                using source = typename bench::source_traits<Kind>::template type<24>;
                EXPECT_EQ(has(row.can, capability::any_size), bench::serves_any_size<Kind>) << row.text;
                EXPECT_EQ(has(row.can, capability::containers), bench::serves_any_size<Kind> || by_type)
                    << row.text;
                EXPECT_EQ(has(row.can, capability::bursts), has_bursts<source>) << row.text;
                EXPECT_EQ(has(row.can, capability::takes_buffer),
                          bench::buffer_constructible<Kind> && !bench::is_in_a_region(Kind))
                    << row.text;
                EXPECT_EQ(row.largest_block, sized ? bench::largest_node_bytes : SIZE_MAX) << row.text;
                EXPECT_TRUE(bench::is_built(Kind)) << row.text;
            } else {
                EXPECT_TRUE(bench::find_library(Kind) == nullptr || !bench::is_built(Kind))
                    << bench::find_row(Kind).text;
            }
        });
    }
}

/// Returns: the number of distinct blocks, after each was filled.
template <class Source>
std::size_t count_blocks_of_burst(Source& source, block_shape shape, std::size_t count) {
    mallard::block_chain chain = source.allocate_many(shape.bytes, shape.alignment, count);
    EXPECT_EQ(chain.size(), count);
    std::vector<void*> blocks;
    while (!chain.empty()) {
        blocks.push_back(chain.pop_front());
        std::memset(blocks.back(), 0x5a, shape.bytes);
    }
    for (void* block : blocks) {
        chain.push_back(block);
    }
    source.deallocate_many(std::move(chain), shape.bytes, shape.alignment);
    return std::set<void*>(blocks.begin(), blocks.end()).size();
}

TEST(sources, allocate_and_free_ranges) {
    constexpr block_shape shape{24, 8};
    for (const strategy& s : bench::strategies()) {
        if (!s.bursts) {
            continue;
        }
        static_cast<void>(bench::with_source(s, {}, shape, [&](auto& source) {
            if constexpr (has_bursts<std::remove_reference_t<decltype(source)>>) {
                for (const std::size_t count : {0U, 1U, 10U, 1000U, 1000U}) {
                    EXPECT_EQ(count_blocks_of_burst(source, shape, count), count) << s.name;
                }
            } else {
                ADD_FAILURE() << s.name;
            }
        }));
    }
}

TEST(contenders, run_in_the_experiments_of_pools) {
    for (const strategy& s : bench::strategies()) {
        if (!s.frees_every_block() || !(s.is_contender() || bench::is_library_pool(s.mechanism))) {
            continue;
        }
        const std::string name(s.name);
        for (const char* operation : {"pair", "create"}) {
            const bench::row row =
                run_words(bench::run_primitives,
                          "--product 10 --operation " + std::string(operation) + " --strategy " + name);
            EXPECT_EQ(row.operations, 1024) << name;
        }
        if (s.serves_large_blocks()) {
            const bench::row used =
                run_words(bench::run_utilization,
                          "--total-log2 20 --active-log2 14 --block-log2 10 --strategy " + name);
            EXPECT_EQ(used.operations, 1 << 10) << name;
        }
        const std::string contended = "--iterations-log2 8 --multiplier 5 --threads 2 --strategy " + name;
        if (s.can(capability::own) || s.can(capability::all_threads)) {
            EXPECT_EQ(run_words(bench::run_contention, contended).operations, 5 << 8) << name;
        }
        if (s.can(capability::all_threads)) {
            EXPECT_EQ(run_words(bench::run_contention, contended + " --freed-by other").operations, 5 << 8)
                << name;
        }
    }
}

TEST(contenders, of_mimalloc_do_not_replace_malloc) {
    const auto initial_malloc = bench::malloc_in_use();
    for (const strategy& s : contenders()) {
        if (s.mechanism == mechanism_kind::mimalloc_heap && is_source(s)) {
            with_any_source(s, {24, 8}, [](any_source& source) { source.deallocate(source.allocate()); });
        }
    }
    EXPECT_EQ(bench::malloc_in_use(), initial_malloc);
    EXPECT_NE(initial_malloc, "mimalloc");
}

TEST(contenders, come_from_a_package_or_a_prefix) {
    for (const strategy& s : contenders()) {
        const bench::library_row& library = *bench::find_library(s.mechanism);
        EXPECT_EQ(library.package.empty(), !library.version.empty()) << s.name;
        EXPECT_TRUE(library.built) << s.name;
    }
    for (const bench::library_row& library : bench::libraries()) {
        EXPECT_EQ(library.built, library.why.empty()) << library.name;
    }
}

TEST(contenders, that_are_missing_are_reported_with_their_package) {
    const bench::library_row absent{.kind = bench::library_kind::loki,
                                    .name = "Loki",
                                    .package = "libloki-dev",
                                    .built = false,
                                    .why = "loki/SmallObj.h was not found"};
    EXPECT_EQ(bench::missing_text("loki", absent),
              "--strategy loki: this program was built without Loki (loki/SmallObj.h was not found); install "
              "the package libloki-dev and build again");
    const bench::library_row named{.kind = bench::library_kind::bde,
                                   .name = "BDE",
                                   .word = "bde",
                                   .built = false,
                                   .why = "MALLARD_WITH does not name it"};
    EXPECT_EQ(bench::missing_text("bde-multipool", named),
              "--strategy bde-multipool: this program was built without BDE (MALLARD_WITH does not name it); "
              "build again with -DMALLARD_WITH=bde=PREFIX");
}

TEST(contenders, cached_monotonic_returns_its_chunks_to_the_cache) {
    mallard::chunk_cache::trim();
    {
        bench::pmr_cached_monotonic_source source;
        static_cast<void>(source.allocate(std::size_t{1} << 16, mallard::fundamental_alignment));
    }
    EXPECT_GE(mallard::chunk_cache::stats().thread_bytes, std::size_t{1} << 16);
}

#ifdef __cpp_exceptions
TEST(contenders, refuse_sizes_that_they_are_not_compiled_for) {
    for (const strategy& s : contenders()) {
        if (!s.frees_every_block() || !s.can(capability::own) || s.serves_large_blocks()) {
            continue;
        }
        const std::string message = error_message(
            bench::run_contention, "--threads 1 --block-log2 7 --strategy " + std::string(s.name));
        EXPECT_NE(message.find("with blocks of 128 bytes"), std::string::npos) << message;
        EXPECT_NE(message.find("64 bytes at most"), std::string::npos) << message;
    }
}
#endif

} // namespace
