/// Benchmark I: creating and destroying isolated basic data structures.
///
/// One iteration constructs the strategy's allocator and the structure, reserves, fills the structure with leaves,
/// and destroys both. All of it is timed. The number of iterations is `product` / leaves of one structure, at least
/// one.
///
/// Source: P0089R1, section 7; P0213R0, section 9.

#include "runner/workload/density/binding.hpp"
#include "runner/workload/density/measure.hpp"
#include "runner/workload/experiments.hpp"

namespace bench {

namespace {

/// Tables take longest to compile, and the survey needs only a few.
bool is_in_survey(const strategy& s) noexcept {
    return s.mechanism != mechanism_kind::null && s.mechanism != mechanism_kind::heap &&
           (s.binding == binding_kind::type_parameter || s.is_contender());
}

} // namespace

bool has_density(const strategy& s) noexcept {
    return !s.is_shared() && !s.bursts && s.past == pool_past::none && !is_library_pool(s.mechanism) &&
           s.is_for_everything() && s.can(capability::containers) && (!survey_only || is_in_survey(s));
}

row run_density(arguments& args, run_options& options) {
    const density_cell cell = parse_density(args, options, has_density);
    args.finish();

    row result;
    result.experiment = "density";
    result.write_parameters = [cell](json_writer& json) { write_density_parameters(cell, json); };
    measure_density(cell, options, result, [] {});
    return result;
}

dispatch_count count_dispatched(std::size_t structure, bool winked_out, unsigned size_log2) {
    /// A resource that no other function knows, so that every call to it is virtual.
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
    const auto& operations = density_table_for<std::pmr::memory_resource>()[structure];
    const auto run = winked_out ? operations.winked_out : operations.normal;
    run(resource, {input});
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
