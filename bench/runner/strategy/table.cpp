#include "runner/strategy/table.hpp"

#include <algorithm>
#include <cstdlib>
#include <iterator>

namespace bench {

namespace {

using enum binding_kind;
using enum destruction_kind;
using enum reuse_kind;
using enum vector_version;

/// A strategy with its texts. They are separate, because each cell has a copy of its strategy.
struct entry {
    std::string_view name;
    mechanism_kind mechanism;
    binding_kind binding = type_parameter;
    destruction_kind destruction = normal;
    reuse_kind reuse = standard;
    bool bursts = false;
    vector_version version = none;
    pool_past past = pool_past::none;
    bool locked = false;
    bool contiguous = false;
    std::string_view title = {};  ///< empty: the text of the mechanism is the title
    std::string_view column = {}; ///< the head of a contender's column, one line or two

    constexpr operator strategy() const noexcept { // NOLINT: a strategy with words is a strategy
        return {name, mechanism, binding, destruction, reuse, bursts, version, past, locked, contiguous};
    }
};

constexpr entry table[] = {
#define STRATEGY(called, of, ...)                                                                            \
    {.name = called, .mechanism = mechanism_kind::of __VA_OPT__(, ) __VA_ARGS__},
#include "runner/strategy/strategies.def"
};

constexpr bool has_column_title(const entry& row_entry) {
    const mechanism_row& row = mechanisms[static_cast<std::size_t>(row_entry.mechanism)];
    return row.library == library_kind::none || row_entry.destruction == winked_out ||
           !row_entry.column.empty();
}
static_assert(std::ranges::all_of(table, has_column_title), "a contender needs the head of its column");

/// True if the survey's runner has the code. Of mallard's allocators behind a base it has only the inline multipool.
bool is_in_survey(const strategy& s) noexcept {
    const bool by_type = s.binding == type_parameter && s.reuse == standard && s.version == none &&
                         s.past == pool_past::none && !s.locked;
    const bool inline_multipool = s.mechanism == mechanism_kind::multipool && s.binding == inline_base;
    return s.can(capability::in_survey) && (by_type || inline_multipool || s.is_contender());
}

std::vector<strategy> built_strategies() {
    std::vector<strategy> built;
    std::ranges::copy_if(table, std::back_inserter(built),
                         [](const strategy& s) { return s.is_built() && (!survey_only || is_in_survey(s)); });
    return built;
}

} // namespace

std::span<const strategy> strategies() noexcept {
    static const std::vector<strategy> built = built_strategies();
    return built;
}

std::string_view to_text(binding_kind kind) noexcept {
    switch (kind) {
    case type_parameter:
        return "type parameter";
    case abstract_base:
        return "abstract base";
    case inline_base:
        return "inline base";
    }
    std::abort();
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

std::string_view to_text(pool_past past) noexcept {
    switch (past) {
    case pool_past::none:
        return "";
    case pool_past::aged:
        return "with a history";
    case pool_past::tidied:
        return "with a history, tidied";
    }
    std::abort();
}

std::vector<std::string> strategy_names(strategy_filter offered) {
    std::vector<std::string> names;
    for (const strategy& s : strategies()) {
        if (offered(s)) {
            names.emplace_back(s.name);
        }
    }
    return names;
}

std::string missing_text(std::string_view name, const library_row& library) {
    const std::string remedy =
        library.package.empty() ? "build again with -DMALLARD_WITH=" + std::string(library.word) + "=PREFIX"
                                : "install the package " + std::string(library.package) + " and build again";
    return "--strategy " + std::string(name) + ": this program was built without " +
           std::string(library.name) + " (" + std::string(library.why) + "); " + remedy;
}

void refuse_missing(arguments& args) {
    const std::string name = args.text("strategy", "");
    const auto* match = std::ranges::find(table, name, &entry::name);
    if (match == std::end(table)) {
        return;
    }
    if (const library_row* missing = strategy(*match).missing_library()) {
        throw usage_error(missing_text(name, *missing));
    }
}

void refuse_unserved(const strategy& s, std::size_t block_bytes) {
    const std::size_t largest = find_row(s.mechanism).largest_block;
    if (block_bytes > largest) {
        throw usage_error("--strategy " + std::string(s.name) + " with blocks of " +
                          std::to_string(block_bytes) +
                          " bytes: it is compiled for the sizes that nodes have; give blocks of " +
                          std::to_string(largest) + " bytes at most, or another strategy");
    }
}

strategy choose_strategy(arguments& args, run_options& options, strategy_filter offered) {
    refuse_missing(args);
    options.strategy = args.choice("strategy", strategy_names(offered));
    return *std::ranges::find(strategies(), options.strategy, &strategy::name);
}

void describe_strategies(json_writer& json, strategy_filter offered, pool_listing pools) {
    json.key("strategies").open('[');
    for (const strategy& s : strategies()) {
        if (!offered(s)) {
            continue;
        }
        json.open('{')
            .member("name", s.name)
            .member("allocator", find_row(s.mechanism).text)
            .member("binding", to_text(s.binding))
            .member("destruction", to_text(s.destruction));
        if (s.reuse != standard) {
            json.member("variant", to_text(s.reuse));
        } else if (s.past != pool_past::none) {
            json.member("variant", to_text(s.past));
        } else if (s.locked) {
            json.member("variant", "behind a lock");
        } else if (is_library_pool(s.mechanism) && pools == pool_listing::variants) {
            json.member("variant", "another pool of the library");
        } else if (s.mechanism == mechanism_kind::heap && pools == pool_listing::variants) {
            json.member("variant", "the library's heap");
        }
        if (s.version != none) {
            json.member("version", to_text(s.version));
        }
        if (s.bursts) {
            json.member("burst", true);
        }
        if (const library_row* library = find_library(s.mechanism)) {
            json.member("contender", library->name);
        }
        json.close('}');
    }
    json.close(']');
}

void describe_registry(json_writer& json) {
    json.key("libraries").open('[');
    for (const library_row& library : libraries()) {
        json.open('{').member("name", library.name).member("word", library.word);
        if (!library.header.empty() && !library.package.empty()) {
            json.member("package", library.package);
        }
        if (!library.header.empty()) {
            json.member("header", library.header);
        }
        if (!library.file.empty()) {
            json.member("file", library.file);
        }
        json.close('}');
    }
    json.close(']').key("strategies").open('[');
    for (const entry& row_entry : table) {
        const strategy s = row_entry;
        const mechanism_row& row = find_row(s.mechanism);
        json.open('{')
            .member("name", s.name)
            .member("title", row_entry.title.empty() ? row.text : row_entry.title);
        if (const library_row* library = find_library(s.mechanism)) {
            json.member("library", library->name);
        }
        if (const library_row* library = s.library_of_container()) {
            json.member("container", library->name);
        }
        if (!row_entry.column.empty()) {
            json.member("column", row_entry.column);
        }
        if (is_in_survey(s)) {
            json.member("survey", true);
        }
        if (!s.serves_large_blocks()) {
            json.member("largest_block", static_cast<std::int64_t>(row.largest_block));
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
    json.close(']').key("with").open('[');
    for (const library_row& library : libraries()) {
        if (!library.version.empty()) {
            json.open('{').member("name", library.name).member("version", library.version).close('}');
        }
    }
    json.close(']');
}

} // namespace bench
