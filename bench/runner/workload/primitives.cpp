/// The smallest operations, hot: an allocation and deallocation of 24 bytes, and the life of an allocator that
/// serves one block. They show the cost of an allocator's code, without that of memory.

#include "runner/strategy/container_allocator.hpp"
#include "runner/strategy/sources.hpp"
#include "runner/workload/experiments.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <list>
#include <memory>
#include <new>
#include <string_view>
#include <vector>

namespace bench {

namespace {

constexpr constant_shape<24, 8> block;

/// A monotonic allocator does not reuse freed blocks. After this many pairs, or a list of as many nodes, a new one
/// begins at the front of the buffer.
constexpr std::size_t pairs_a_round = 1024;
constexpr std::size_t buffer_bytes = pairs_a_round * block.bytes + 64;

constexpr std::string_view pair = "pair";
constexpr std::string_view create = "create";
constexpr std::string_view list = "list";

/// True if the experiment has the strategy. Winking out makes no difference to a single block.
bool has_primitives(const strategy& s) noexcept {
    return s.mechanism != mechanism_kind::null && s.frees_every_block();
}

template <class Source>
[[gnu::always_inline]] inline void make_pair(Source& source) {
    void* p = source.allocate(block.bytes, block.alignment);
    escape(p);
    source.deallocate(p, block.bytes, block.alignment);
}

/// Not inlined, one function for each source: the code around an inlined loop decided whether members of the source
/// stayed in registers, which halved the speed of some sources.
template <class Source>
[[gnu::noinline]] void make_pairs(Source& source, std::size_t count) {
    for (std::size_t i = 0; i != count; ++i) {
        make_pair(source);
    }
}

/// Effects: builds and destroys lists, of `nodes` nodes in all.
/// Requires: `nodes` is a multiple of pairs_a_round.
template <class Source>
[[gnu::noinline]] void make_lists(Source& source, std::size_t nodes) {
    using allocator = allocator_over<int, Source>;
    for (std::size_t i = 0; i != nodes; i += pairs_a_round) {
        std::list<int, allocator> nodes_list(make_allocator<allocator>(source));
        for (std::size_t k = 0; k != pairs_a_round; ++k) {
            nodes_list.push_back(static_cast<int>(k));
        }
        escape(&nodes_list);
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

/// null under a list: adjacent nodes that are never freed.
class nodes_in_a_row {
public:
    void* allocate(std::size_t, std::size_t) noexcept {
        next_ = next_ == pairs_a_round ? 0 : next_;
        return nodes_[next_++].data();
    }
    void deallocate(void*, std::size_t, std::size_t) noexcept {}

private:
    struct alignas(block.alignment) node : std::array<std::byte, block.bytes> {};
    std::array<node, pairs_a_round> nodes_{};
    std::size_t next_ = 0;
};

/// Effects: runs `total` pairs, each with a new allocator for "create", or lists of as many nodes.
void run_rounds(const strategy& s, std::size_t total, std::string_view operation) {
    alignas(64) static std::array<std::byte, buffer_bytes> buffer;
    if (operation == create && (s.uses_buffer() || s.has_own_allocator())) {
        for (std::size_t done = 0; done != total; ++done) {
            static_cast<void>(with_source(s, buffer, block, [](auto& source) { make_pair(source); }));
        }
        return;
    }
    const bool to_the_end = s.uses_buffer() || !s.can(capability::reuses);
    const std::size_t round = to_the_end ? pairs_a_round : total;
    for (std::size_t done = 0; done < total; done += round) {
        static_cast<void>(with_source(s, buffer, block, [round, operation](auto& source) {
            operation == list ? make_lists(source, round) : make_pairs(source, round);
        }));
    }
}

/// Effects: calls `use` with `null`, or with its abstract base.
template <class Null, class Use>
void with_null(Null& null, bool behind_base, Use&& use) {
    if (behind_base) {
        mallard::resource<Null&> base(null);
        use(abstract(base));
    } else {
        use(null);
    }
}

void run_null(bool behind_base, std::size_t total, std::string_view operation) {
    if (operation == list) {
        nodes_in_a_row null;
        with_null(null, behind_base, [total](auto& source) { make_lists(source, total); });
    } else {
        one_block null;
        with_null(null, behind_base, [total](auto& source) { make_pairs(source, total); });
    }
}

std::vector<std::string> names() {
    std::vector<std::string> result{std::string(direct_null), std::string(virtual_null)};
    std::ranges::move(strategy_names(has_primitives), std::back_inserter(result));
    return result;
}

} // namespace

row run_primitives(arguments& args, run_options& options) {
    const std::string operation =
        args.choice("operation", {std::string(pair), std::string(create), std::string(list)});
    refuse_missing(args);
    options.strategy = args.choice("strategy", names());
    const auto product_log2 = args.number("product", 24, 10, 40);
    args.finish();

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
            run_null(options.strategy == virtual_null, count, operation);
        } else {
            run_rounds(*std::ranges::find(strategies(), options.strategy, &strategy::name), count, operation);
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
    const auto describe = [&json](std::string_view name, std::string_view text) {
        json.open('{').member("name", name).member("text", text).close('}');
    };
    describe(pair, "allocate and deallocate one block of 24 bytes, hot");
    describe(create,
             "make an allocator, allocate and deallocate one block of 24 bytes, destroy the allocator");
    describe(list, "build and destroy a std::list<int> of 1,024; the time of a node");
    json.close(']').key("strategies").open('[');
    for (const std::string& name : names()) {
        json.value(name);
    }
    json.close(']');
}

} // namespace bench
