#include "bench/workload/density.hpp"

#include "bench/harness/process.hpp"
#include "bench/harness/static_buffer.hpp"
#include "bench/strategy/mechanisms.hpp"
#include "bench/workload/density_tables.hpp"

#include <algorithm>
#include <new>
#include <optional>

namespace bench {

namespace {

constexpr unsigned least_size_log2 = 6;
constexpr unsigned largest_size_log2 = 16;
constexpr unsigned inner_leaves_log2 = 7; ///< of DS5..DS12 (P0089R1, section 7)

struct density_cell {
    std::size_t structure; ///< index into data_structures() and the tables
    strategy how;
    unsigned size_log2;
    unsigned inner_log2;
    unsigned product_log2;
    std::string buffer;
    std::size_t buffer_bytes;
    std::string hash;
    std::string pages;
};

template <class Handle>
void run_one(const density_table<Handle>& table, const density_cell& cell, Handle& source,
             const density_task& task) {
    const density_operations<Handle>& operations = table[cell.structure];
    (cell.how.destruction == destruction_kind::normal ? operations.normal : operations.winked_out)(source,
                                                                                                   task);
}

/// The handle's type says which table serves it.
struct run_with_handle {
    const density_cell& cell;
    const density_task& task;

    void operator()(monotonic& made) const { run_one(density_monotonic, cell, made, task); }
    void operator()(multipool& made) const { run_one(density_multipool, cell, made, task); }
    void operator()(multipool_over_monotonic& made) const {
        run_one(density_multipool_over_monotonic, cell, made, task);
    }
    void operator()(std::pmr::memory_resource& made) const { run_one(density_abstract, cell, made, task); }
};

/// Runs iterations of one cell: what lives longer than an iteration is here.
class density_runner {
public:
    density_runner(const density_cell& cell, const density_input& input)
        : cell_(cell), buffer_(parse_buffer_state(cell.how.uses_buffer() ? cell.buffer : "none"), pages(),
                               cell.buffer_bytes, input.bytes_bound()) {
        if (cell.how.mechanism == mechanism_kind::null) {
            floor_memory_.emplace(buffer_state::warm, pages(), input.bytes_bound(), input.bytes_bound());
            floor_.emplace(floor_memory_->span());
        }
    }

    /// Returns: the spills of this iteration.
    std::size_t iterate(const density_task& task) {
        switch (cell_.how.mechanism) {
        case mechanism_kind::null:
            run_one(density_null, cell_, *floor_, task);
            floor_->release();
            return 0;
        case mechanism_kind::global:
        case mechanism_kind::global_kept:
            run_one(density_global, cell_, global_, task);
            return 0;
        case mechanism_kind::new_delete:
            run_one(density_abstract, cell_, abstract(*mallard::new_delete_resource()), task);
            return 0;
        default:
            return with_mechanism(cell_.how, buffer_.span(), run_with_handle{cell_, task});
        }
    }

    [[nodiscard]] bool lacks_huge_pages() const { return buffer_.lacks_huge_pages(); }

private:
    [[nodiscard]] page_size pages() const noexcept {
        return cell_.pages == "huge" ? page_size::huge : page_size::small;
    }

    const density_cell& cell_;
    static_buffer buffer_;
    std::optional<static_buffer> floor_memory_;
    std::optional<null_source> floor_;
    global_handle global_;
};

/// Effects: counts the requests of one structure, made under the same binding as the strategy's.
void count_requests(const density_cell& cell, const density_input& input, row& result) {
    counting_source source;
    const density_task task{input};
    if (cell.how.binding == binding_kind::type_parameter) {
        run_one(density_counted, cell, source, task);
    } else {
        mallard::resource<counting_source&> base(source);
        run_one(density_abstract, cell, abstract(base), task);
    }
    const mallard::allocation_counts counts = source.counts();
    result.allocations = static_cast<std::int64_t>(counts.allocations);
    result.deallocations = static_cast<std::int64_t>(counts.deallocations);
}

/// Effects: makes structures of two elements for some milliseconds: the code, the libraries' first-time work
/// and the processor come to where they are when a program has been running.
void warm_up(density_runner& runner, const density_input& tiny) {
    constexpr std::int64_t enough_ns = 5'000'000;
    const stopwatch watch;
    while (watch.elapsed().wall_ns < enough_ns) {
        static_cast<void>(runner.iterate({tiny}));
    }
}

std::vector<std::string> names_of_structures() {
    std::vector<std::string> names;
    for (const data_structure& ds : data_structures()) {
        names.push_back(ds.name);
    }
    return names;
}

density_cell parse(arguments& given, run_options& options) {
    density_cell cell{};
    const std::vector<std::string> structures = names_of_structures();
    cell.structure = static_cast<std::size_t>(std::ranges::find(structures, given.choice("ds", structures)) -
                                              structures.begin());
    cell.how = choose_strategy(given, options, has_density);
    cell.size_log2 = static_cast<unsigned>(given.number("size", -1, least_size_log2, largest_size_log2));
    cell.product_log2 = static_cast<unsigned>(given.number("product", 20, 0, 40));
    const bool nested = data_structures()[cell.structure].inner != container::none;
    const auto inner_log2 = static_cast<unsigned>(given.number("inner", inner_leaves_log2, 0, 16));
    cell.inner_log2 = nested ? inner_log2 : 0;
    cell.buffer = given.choice("buffer", {"none", "cold", "warm"}, "warm");
    cell.hash = given.choice("hash", {"prefix", "full"}, "prefix");
    cell.pages = given.choice("pages", {"huge", "small"}, "huge");
    cell.buffer_bytes = static_cast<std::size_t>(
        given.number("buffer-bytes", std::int64_t{1} << 30, 4096, std::int64_t{1} << 40));
    if (cell.buffer == "none") {
        cell.buffer_bytes = 0;
    }
    return cell;
}

/// A buffer that memory does not hold is made smaller, and the row says so.
void fit_buffer(density_cell& cell, run_options& options) {
    if (cell.buffer == "none" || !cell.how.uses_buffer()) {
        return;
    }
    const std::size_t room = available_memory_bytes() / 2;
    if (cell.buffer_bytes > room) {
        cell.buffer_bytes = room / 4096 * 4096;
        options.notes.push_back("memory is short: the static buffer has " +
                                std::to_string(cell.buffer_bytes) + " bytes");
    }
}

} // namespace

bool has_density(const strategy& s) noexcept {
    return !s.is_shared() && s.reuse == reuse_kind::standard;
}

row run_density(arguments& given, run_options& options) {
    density_cell cell = parse(given, options);
    given.finish();
    fit_buffer(cell, options);
    string_hash_in_use = cell.hash == "full" ? string_hash::full : string_hash::prefix;

    row result;
    result.experiment = "density";
    result.write_parameters = [cell](json_writer& json) {
        json.member("ds", data_structures()[cell.structure].name)
            .member("size_log2", cell.size_log2)
            .member("product_log2", cell.product_log2)
            .member("inner_log2", cell.inner_log2)
            .member("buffer", cell.buffer)
            .member("buffer_bytes", cell.buffer_bytes)
            .member("hash", cell.hash)
            .member("pages", cell.pages);
    };

    if (cell.how.mechanism == mechanism_kind::global_kept && !keep_freed_pages()) {
        throw usage_error("--strategy AS1-keep: this C library cannot be told to keep freed pages");
    }
    try {
        const data_structure& ds = data_structures()[cell.structure];
        const auto seed = static_cast<std::uint64_t>(options.seed);
        const density_input input(ds, cell.size_log2, cell.inner_log2, seed);
        const std::size_t product = std::size_t{1} << cell.product_log2;
        result.iterations = static_cast<std::int64_t>(std::max<std::size_t>(1, product / input.leaves()));
        result.operations = result.iterations * static_cast<std::int64_t>(input.leaves());

        density_runner runner(cell, input);
        if (cell.buffer != "warm" || !cell.how.uses_buffer()) {
            bring_in(input.bytes_bound());
        }
        warm_up(runner, density_input(ds, 1, cell.inner_log2, seed));

        std::size_t spills = 0;
        const stopwatch watch;
        for (std::int64_t i = 0; i != result.iterations; ++i) {
            spills += runner.iterate({input});
        }
        result.timed = watch.elapsed();
        result.spills = static_cast<std::int64_t>(spills);

        // What does not change from one repetition to the next is looked at once.
        if (options.repetition == 0) {
            if (runner.lacks_huge_pages()) {
                options.notes.emplace_back("the system gave the buffer no huge pages");
            }
            std::uint64_t sum = 0;
            static_cast<void>(runner.iterate({input, &sum}));
            result.checksum = to_hexadecimal(sum);
            count_requests(cell, input, result);
        }
    } catch (const std::bad_alloc&) {
        result.out_of_memory = true;
        result.timed = {};
    }
    return result;
}

dispatch_count count_dispatched(std::size_t structure, bool winked_out, unsigned size_log2) {
    /// A resource that nobody but this function knows.
    class spy final : public std::pmr::memory_resource {
    public:
        dispatch_count seen{};

    private:
        void* do_allocate(std::size_t bytes, std::size_t alignment) override {
            ++seen.allocations;
            return arena_.allocate(bytes, alignment);
        }
        void do_deallocate(void*, std::size_t, std::size_t) override { ++seen.deallocations; }
        [[nodiscard]] bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
            return this == &other;
        }

        monotonic arena_;
    };

    spy resource;
    const density_input input(data_structures()[structure], size_log2, inner_leaves_log2, 1);
    const auto& operations = density_abstract[structure];
    (winked_out ? operations.winked_out : operations.normal)(resource, {input});
    return resource.seen;
}

void describe_density(json_writer& json) {
    json.key("structures").open('[');
    for (const data_structure& ds : data_structures()) {
        json.open('{')
            .member("name", ds.name)
            .member("type", ds.type())
            .member("inner_log2", ds.inner == container::none ? 0 : inner_leaves_log2)
            .close('}');
    }
    json.close(']');
    describe_strategies(json, has_density);
    json.key("sizes_log2").open('[');
    for (unsigned size = least_size_log2; size <= largest_size_log2; ++size) {
        json.value(size);
    }
    json.close(']');
}

} // namespace bench
