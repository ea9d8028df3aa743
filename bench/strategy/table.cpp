#include "bench/strategy/table.hpp"

#include <algorithm>
#include <cstdlib>

namespace bench {

namespace {

using enum mechanism_kind;
using enum binding_kind;
using enum destruction_kind;
using enum reuse_kind;

constexpr strategy table[] = {
    {"null", null, type_parameter, winked_out},
    {"AS1", global, type_parameter, normal},
#ifdef __GLIBC__
    {"AS1-keep", global_kept, type_parameter, normal},
#endif
    {"AS2", new_delete, abstract_base, normal},
    {"AS3", monotonic, type_parameter, normal},
    {"AS4", monotonic, type_parameter, winked_out},
    {"AS5", monotonic, abstract_base, normal},
    {"AS6", monotonic, abstract_base, winked_out},
    {"AS7", multipool, type_parameter, normal},
    {"AS7-last", multipool, type_parameter, normal, last_freed},
    {"AS7-first", multipool, type_parameter, normal, first_freed},
    {"AS7-lowest", multipool, type_parameter, normal, lowest_address},
    {"AS7-hybrid", multipool, type_parameter, normal, hybrid},
    {"AS7-random", multipool, type_parameter, normal, reuse_kind::random},
    {"AS8", multipool, type_parameter, winked_out},
    {"AS9", multipool, abstract_base, normal},
    {"AS10", multipool, abstract_base, winked_out},
    {"AS11", multipool_over_monotonic, type_parameter, normal},
    {"AS12", multipool_over_monotonic, type_parameter, winked_out},
    {"AS13", multipool_over_monotonic, abstract_base, normal},
    {"AS14", multipool_over_monotonic, abstract_base, winked_out},
    {"shared-synchronized", shared_synchronized, type_parameter, normal},
    {"shared-concurrent", shared_concurrent, type_parameter, normal},
};

} // namespace

std::span<const strategy> strategies() noexcept {
    return table;
}

std::string_view to_text(mechanism_kind kind) noexcept {
    switch (kind) {
    case null:
        return "none: memory that is already there";
    case global:
        return "global default";
    case global_kept:
        return "global default, page return off";
    case new_delete:
        return "new/delete";
    case monotonic:
        return "monotonic";
    case multipool:
        return "multipool";
    case multipool_over_monotonic:
        return "multipool backed by monotonic";
    case shared_synchronized:
        return "one synchronized multipool for all threads";
    case shared_concurrent:
        return "one concurrent multipool for all threads";
    }
    std::abort();
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

strategy choose_strategy(arguments& given, run_options& options, strategy_filter offered) {
    std::vector<std::string> names;
    for (const strategy& s : strategies()) {
        if (offered(s)) {
            names.emplace_back(s.name);
        }
    }
    options.strategy = given.choice("strategy", names);
    return *std::ranges::find(strategies(), options.strategy, &strategy::name);
}

void describe_strategies(json_writer& json, strategy_filter offered) {
    json.key("strategies").open('[');
    for (const strategy& s : strategies()) {
        if (!offered(s)) {
            continue;
        }
        json.open('{')
            .member("name", s.name)
            .member("allocator", to_text(s.mechanism))
            .member("binding", to_text(s.binding))
            .member("destruction", to_text(s.destruction));
        if (s.reuse != standard) {
            json.member("variant", to_text(s.reuse));
        }
        json.close('}');
    }
    json.close(']');
}

} // namespace bench
