#include "bench/workload/primitives.hpp"

#include "bench/strategy/sources.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <memory>
#include <new>
#include <string_view>
#include <vector>

namespace bench {

namespace {

constexpr constant_shape<24, 8> block;

/// A monotonic allocator takes no block back. After this many pairs, a new one begins at the front of the
/// buffer.
constexpr std::size_t pairs_a_round = 1024;
constexpr std::size_t buffer_bytes = pairs_a_round * block.bytes + 64;

/// True if the experiment has the strategy. Winking out makes no difference to a single block.
bool has_primitives(const strategy& s) noexcept {
    return s.mechanism != mechanism_kind::null && s.frees_each_block();
}

template <class Source>
[[gnu::always_inline]] inline void make_pair(Source& source) {
    void* p = source.allocate(block.bytes, block.alignment);
    escape(p);
    source.deallocate(p, block.bytes, block.alignment);
}

/// Not inlined, one function for each source. Inlined, the code around the loop decided whether members of the
/// source stayed in registers, which halved the speed of some.
template <class Source>
[[gnu::noinline]] void make_pairs(Source& source, std::size_t count) {
    for (std::size_t i = 0; i != count; ++i) {
        make_pair(source);
    }
}

/// null: the cost of the loop, or of two empty virtual calls behind the abstract base.
class one_block {
public:
    void* allocate(std::size_t, std::size_t) noexcept { return block_.data(); }
    void deallocate(void*, std::size_t, std::size_t) noexcept {}

private:
    alignas(block.alignment) std::array<std::byte, block.bytes> block_{};
};

constexpr std::string_view direct_null = "null";
constexpr std::string_view virtual_null = "null/base";

/// Effects: makes `total` pairs, each with an allocator of its own if `anew`.
void run_rounds(const strategy& s, std::size_t total, bool anew) {
    alignas(64) static std::array<std::byte, buffer_bytes> buffer;
    if (anew && (s.uses_buffer() || s.has_own_allocator())) {
        for (std::size_t done = 0; done != total; ++done) {
            static_cast<void>(with_source(s, buffer, block, [](auto& source) { make_pair(source); }));
        }
        return;
    }
    const bool to_the_end = s.uses_buffer() || !s.can(capability::reuses);
    const std::size_t round = to_the_end ? pairs_a_round : total;
    for (std::size_t done = 0; done < total; done += round) {
        static_cast<void>(
            with_source(s, buffer, block, [round](auto& source) { make_pairs(source, round); }));
    }
}

void run_null(bool behind_base, std::size_t total) {
    one_block null;
    if (behind_base) {
        mallard::resource<one_block&> base(null);
        make_pairs(abstract(base), total);
    } else {
        make_pairs(null, total);
    }
}

std::vector<std::string> names() {
    std::vector<std::string> result{std::string(direct_null), std::string(virtual_null)};
    std::ranges::move(names_of(has_primitives), std::back_inserter(result));
    return result;
}

} // namespace

row run_primitives(arguments& given, run_options& options) {
    const std::string operation = given.choice("operation", {"pair", "create"});
    refuse_missing(given);
    options.strategy = given.choice("strategy", names());
    const auto product_log2 = given.number("product", 24, 10, 40);
    given.finish();

    row result;
    result.experiment = "primitives";
    result.write_parameters = [operation, product_log2](json_writer& json) {
        json.member("operation", operation)
            .member("product_log2", product_log2)
            .member("block_bytes", block.bytes);
    };
    const std::size_t total = std::size_t{1} << product_log2;
    result.operations = result.iterations = static_cast<std::int64_t>(total);
    const bool is_null = options.strategy == direct_null || options.strategy == virtual_null;
    const auto run = [&](std::size_t count) {
        if (is_null) {
            run_null(options.strategy == virtual_null, count);
        } else {
            run_rounds(*std::ranges::find(strategies(), options.strategy, &strategy::name), count,
                       operation == "create");
        }
    };
    try {
        run(1024);
        const stopwatch watch;
        run(total);
        result.timed = watch.elapsed();
    } catch (const std::bad_alloc&) {
        result.out_of_memory = true;
    }
    return result;
}

void describe_primitives(json_writer& json) {
    json.key("operations").open('[');
    json.open('{')
        .member("name", "pair")
        .member("text", "allocate and deallocate one block of 24 bytes, hot")
        .close('}');
    json.open('{')
        .member("name", "create")
        .member("text",
                "make an allocator, allocate and deallocate one block of 24 bytes, destroy the allocator")
        .close('}');
    json.close(']').key("strategies").open('[');
    for (const std::string& name : names()) {
        json.value(name);
    }
    json.close(']');
}

} // namespace bench
