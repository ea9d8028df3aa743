#include "bench/strategy/table.hpp"

#include <algorithm>
#include <cstdlib>
#include <iterator>

namespace bench {

namespace {

using enum mechanism_kind;
using enum binding_kind;
using enum destruction_kind;
using enum reuse_kind;
using enum vector_version;

constexpr strategy table[] = {
    {"null", null, type_parameter, winked_out},
    {"new-delete", global, type_parameter, normal},
#ifdef __GLIBC__
    {"new-delete-keep", global_kept, type_parameter, normal},
#endif
    {"new-delete/base", new_delete, abstract_base, normal},
    {"monotonic", monotonic, type_parameter, normal},
    {"monotonic/wink", monotonic, type_parameter, winked_out},
    {"monotonic/base", monotonic, abstract_base, normal},
    {"monotonic/base/wink", monotonic, abstract_base, winked_out},
    {"multipool", multipool, type_parameter, normal},
    {"multipool-burst", multipool, type_parameter, normal, standard, true},
    {"multipool-last", multipool, type_parameter, normal, last_freed},
    {"multipool-first", multipool, type_parameter, normal, first_freed},
    {"multipool-lowest", multipool, type_parameter, normal, lowest_address},
    {"multipool-hybrid", multipool, type_parameter, normal, hybrid},
    {"multipool-random", multipool, type_parameter, normal, reuse_kind::random},
    {"multipool/wink", multipool, type_parameter, winked_out},
    {"multipool/base", multipool, abstract_base, normal},
    {"multipool/base/wink", multipool, abstract_base, winked_out},
    {"multipool+monotonic", multipool_over_monotonic, type_parameter, normal},
    {"multipool+monotonic/wink", multipool_over_monotonic, type_parameter, winked_out},
    {"multipool+monotonic/base", multipool_over_monotonic, abstract_base, normal},
    {"multipool+monotonic/base/wink", multipool_over_monotonic, abstract_base, winked_out},
    {"synchronized-multipool", shared_synchronized, type_parameter, normal},
    {"concurrent-multipool", shared_concurrent, type_parameter, normal},

    {"fixed-pool", fixed_pool, type_parameter, normal},
    {"fixed-pool-burst", fixed_pool, type_parameter, normal, standard, true},
    {"small-object-pool", small_object_pool, type_parameter, normal},
    {"adaptive-pool", adaptive_pool, type_parameter, normal},
    {"adaptive-pool-burst", adaptive_pool, type_parameter, normal, standard, true},
    {"adaptive-pool-aligned", adaptive_pool_aligned, type_parameter, normal},
    {"adaptive-pool-aligned-burst", adaptive_pool_aligned, type_parameter, normal, standard, true},
    {"static-pool", static_pool, type_parameter, normal},
    {"fast-fit", fast_fit, type_parameter, normal},
    {"heap", heap, type_parameter, normal},
    {"heap/wink", heap, type_parameter, winked_out},
    {"heap/base", heap, abstract_base, normal},
    {"heap/base/wink", heap, abstract_base, winked_out},
    {"heap-burst", heap, type_parameter, normal, standard, true},
    {"heap-v1", heap, type_parameter, normal, standard, false, first},
    {"heap-v2-masked", heap, type_parameter, normal, standard, false, second_masked},
    {"heap-v2", heap, type_parameter, normal, standard, false, second},
    {"region-heap", region_heap, type_parameter, normal},
    {"region-heap-v2", region_heap, type_parameter, normal, standard, false, second},
    {"class-new", class_new, type_parameter, normal},
    {"fixed-string", fixed_string, type_parameter, normal},
    {"realloc", c_realloc, type_parameter, normal},

    {"pmr-monotonic", pmr_monotonic, abstract_base, normal},
    {"pmr-monotonic/wink", pmr_monotonic, abstract_base, winked_out},
    {"pmr-unsynchronized", pmr_unsynchronized, abstract_base, normal},
    {"pmr-unsynchronized/wink", pmr_unsynchronized, abstract_base, winked_out},
    {"pmr-synchronized", pmr_synchronized, abstract_base, normal},
    {"boost-pool", boost_pool, type_parameter, normal},
    {"boost-object-pool", boost_object_pool, type_parameter, normal},
    {"boost-fast-pool", boost_fast_pool, type_parameter, normal},
    {"boost-pmr-monotonic", boost_pmr_monotonic, abstract_base, normal},
    {"boost-pmr-monotonic/wink", boost_pmr_monotonic, abstract_base, winked_out},
    {"boost-pmr-unsynchronized", boost_pmr_unsynchronized, abstract_base, normal},
    {"boost-pmr-unsynchronized/wink", boost_pmr_unsynchronized, abstract_base, winked_out},
    {"boost-adaptive-pool", boost_adaptive_pool, type_parameter, normal},
    {"boost-adaptive-pool-burst", boost_adaptive_pool, type_parameter, normal, standard, true},
    {"boost-node", boost_node, type_parameter, normal},
    {"boost-node-burst", boost_node, type_parameter, normal, standard, true},
    {"boost-allocator", boost_allocator, type_parameter, normal},
    {"boost-allocator-burst", boost_allocator, type_parameter, normal, standard, true},
    {"boost-allocator-v1", boost_allocator, type_parameter, normal, standard, false, first},
    {"boost-allocator-v2-masked", boost_allocator, type_parameter, normal, standard, false, second_masked},
    {"boost-allocator-v2", boost_allocator, type_parameter, normal, standard, false, second},
    {"boost-interprocess", boost_interprocess, type_parameter, normal},
    {"boost-interprocess-v2", boost_interprocess, type_parameter, normal, standard, false, second},
    {"foonathan-node", foonathan_node, type_parameter, normal},
    {"foonathan-array", foonathan_array, type_parameter, normal},
    {"foonathan-small", foonathan_small, type_parameter, normal},
    {"foonathan-collection", foonathan_collection, type_parameter, normal},
    {"foonathan-stack", foonathan_stack, type_parameter, normal},
    {"foonathan-stack/wink", foonathan_stack, type_parameter, winked_out},
    {"foonathan-temporary", foonathan_temporary, type_parameter, normal},
    {"foonathan-temporary/wink", foonathan_temporary, type_parameter, winked_out},
    {"loki", loki, type_parameter, normal},
    {"mimalloc-heap", mimalloc_heap, type_parameter, normal},
    {"mimalloc-heap/wink", mimalloc_heap, type_parameter, winked_out},
};

std::vector<strategy> all_that_are_built() {
    std::vector<strategy> built;
    std::ranges::copy_if(table, std::back_inserter(built), &strategy::is_built);
    return built;
}

} // namespace

std::span<const strategy> strategies() noexcept {
    static const std::vector<strategy> built = all_that_are_built();
    return built;
}

std::string_view to_text(binding_kind kind) noexcept {
    return kind == type_parameter ? "type parameter" : "abstract base";
}

std::string_view to_text(destruction_kind kind) noexcept {
    return kind == normal ? "normal" : "winked out";
}

std::string_view to_text(reuse_kind kind) noexcept {
    switch (kind) {
    case standard:
        return "the library's default";
    case last_freed:
        return "last freed first";
    case first_freed:
        return "first freed first";
    case lowest_address:
        return "lowest address first";
    case hybrid:
        return "a small magazine, then the lowest address";
    case reuse_kind::random:
        return "at random";
    }
    std::abort();
}

std::string_view to_text(vector_version version) noexcept {
    switch (version) {
    case none:
        return "";
    case first:
        return "1";
    case second_masked:
        return "2, expansion masked";
    case second:
        return "2";
    }
    std::abort();
}

std::vector<std::string> names_of(strategy_filter offered) {
    std::vector<std::string> names;
    for (const strategy& s : strategies()) {
        if (offered(s)) {
            names.emplace_back(s.name);
        }
    }
    return names;
}

std::string missing_text(std::string_view name, const library_row& library) {
    return "--strategy " + std::string(name) + ": this program was built without " +
           std::string(library.name) + " (" + std::string(library.why) + "); install the package " +
           std::string(library.package) + " and build again";
}

void refuse_missing(arguments& given) {
    const std::string name = given.text("strategy", "");
    const auto* row = std::ranges::find(table, name, &strategy::name);
    if (row != std::end(table) && !row->is_built()) {
        throw usage_error(missing_text(name, *row->missing_library()));
    }
}

void refuse_unserved(const strategy& s, std::size_t block_bytes) {
    const std::size_t largest = row_of(s.mechanism).largest_block;
    if (block_bytes > largest) {
        throw usage_error("--strategy " + std::string(s.name) + " with blocks of " +
                          std::to_string(block_bytes) +
                          " bytes: it is compiled for the sizes that nodes have; give blocks of " +
                          std::to_string(largest) + " bytes at most, or another strategy");
    }
}

strategy choose_strategy(arguments& given, run_options& options, strategy_filter offered) {
    refuse_missing(given);
    options.strategy = given.choice("strategy", names_of(offered));
    return *std::ranges::find(strategies(), options.strategy, &strategy::name);
}

void describe_strategies(json_writer& json, strategy_filter offered, other_pools pools) {
    json.key("strategies").open('[');
    for (const strategy& s : strategies()) {
        if (!offered(s)) {
            continue;
        }
        json.open('{')
            .member("name", s.name)
            .member("allocator", row_of(s.mechanism).text)
            .member("binding", to_text(s.binding))
            .member("destruction", to_text(s.destruction));
        if (s.reuse != standard) {
            json.member("variant", to_text(s.reuse));
        } else if (is_other_pool(s.mechanism) && pools == other_pools::variants) {
            json.member("variant", "another pool of the library");
        } else if (s.mechanism == heap && pools == other_pools::variants) {
            json.member("variant", "the library's heap");
        }
        if (s.version != none) {
            json.member("version", to_text(s.version));
        }
        if (s.bursts) {
            json.member("burst", true);
        }
        if (const library_row* library = library_of(s.mechanism)) {
            json.member("contender", library->name);
        }
        json.close('}');
    }
    json.close(']');
}

void describe_missing(json_writer& json) {
    json.key("missing").open('[');
    for (const library_row& library : libraries()) {
        if (!library.built) {
            json.open('{')
                .member("name", library.name)
                .member("package", library.package)
                .member("why", library.why)
                .close('}');
        }
    }
    json.close(']');
}

} // namespace bench
