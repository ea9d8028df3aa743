#include "profiler/report/name_tables.hpp"

namespace mallard::advisor {

namespace {

void write_line(json_writer& json, const std::string& file, unsigned line) {
    json.optional_field("file", !file.empty(), [&] { return file; });
    json.optional_field("line", line != 0, [&] { return line; });
}

} // namespace

std::string name_tables::shortened(const std::string& name) {
    constexpr std::size_t most = 500;
    return name.size() <= most ? name : name.substr(0, most - 103) + "..." + name.substr(name.size() - 100);
}

std::size_t name_tables::function_row(function_info function) {
    function.name = shortened(function.name);
    function.short_name = shortened(function.short_name);
    const auto [entry, is_new] =
        by_name_.try_emplace(std::pair(function.name, function.object), functions_.size());
    if (is_new) {
        functions_.push_back(std::move(function));
    }
    return entry->second;
}

std::size_t name_tables::function(scope_id id) {
    const auto [entry, is_new] = compiled_.try_emplace(id, functions_.size());
    if (is_new) {
        // Distinct functions with equal names have a row each.
        function_info named = names_->function(id);
        named.name = shortened(named.name);
        named.short_name = shortened(named.short_name);
        by_name_.try_emplace(std::pair(named.name, named.object), functions_.size());
        functions_.push_back(std::move(named));
    }
    return entry->second;
}

std::size_t name_tables::add_place(place_row row) {
    const auto [entry, is_new] =
        by_place_.try_emplace(std::tuple(row.function, row.file, row.line, row.inlined), places_.size());
    if (is_new) {
        places_.push_back(std::move(row));
    }
    return entry->second;
}

const name_tables::level_rows& name_tables::level(std::uint64_t address) {
    const auto [entry, is_new] = by_level_.try_emplace(address);
    level_rows& rows = entry->second;
    if (!is_new) {
        return rows;
    }
    const std::size_t outermost = function(names_->function_at(address));
    const std::string object = functions_[outermost].object;
    bool has_own_place = false;
    const std::vector<named_place> places = names_->places(address);
    for (std::size_t at = 0; at < places.size(); ++at) {
        const named_place& place = places[at];
        const std::size_t row = at + 1 == places.size() ? outermost
                                : place.function != no_scope
                                    ? function(place.function)
                                    : function_row({place.name, place.short_name, object, {}, 0});
        rows.places.push_back(add_place({row, place.file, place.line, place.inlined}));
        if (!has_own_place && !names_->is_library_name(place.short_name)) {
            has_own_place = true;
            rows.own = rows.places.back();
        }
    }
    if (!has_own_place) {
        rows.own = rows.places.back();
    }
    return rows;
}

std::size_t name_tables::place(std::uint64_t address) {
    if (address != 0) {
        return level(address).own;
    }
    const std::string name = "(no stack)";
    return add_place({function_row({name, name, {}, {}, 0}), {}, 0, false});
}

std::size_t name_tables::stack(trace::context_id context) {
    const auto [entry, is_new] = by_context_.try_emplace(context, stacks_.size());
    if (!is_new) {
        return entry->second;
    }
    std::vector<std::size_t> inner, outer;
    for (trace::context_id node = context; node >= trace::stack_ends; node = contexts_->parent(node)) {
        const bool is_inner = inner.size() < most_inner_places;
        if (!is_inner && contexts_->depth(node) > most_outer_places) {
            if (inner.back() != skipped_levels) {
                inner.push_back(skipped_levels);
            }
            continue;
        }
        const level_rows& rows = level(contexts_->address(node));
        std::vector<std::size_t>& part = is_inner ? inner : outer;
        part.insert(part.end(), rows.places.begin(), rows.places.end());
    }
    inner.insert(inner.end(), outer.begin(), outer.end());
    stacks_.push_back(std::move(inner));
    return entry->second;
}

void name_tables::write(json_writer& json) const {
    json.key("functions").begin_list();
    for (const function_info& function : functions_) {
        json.begin_object().field("name", function.name).field("short_name", function.short_name);
        json.optional_field("object", !function.object.empty(), [&] { return function.object; });
        write_line(json, function.file, function.line);
        json.end_object();
    }
    json.end_list().key("places").begin_list();
    for (const place_row& row : places_) {
        json.begin_object().field("function", row.function);
        write_line(json, row.file, row.line);
        json.field("inlined", row.inlined).end_object();
    }
    json.end_list().key("stacks").begin_list();
    for (const std::vector<std::size_t>& stack : stacks_) {
        json.begin_list();
        for (const std::size_t place : stack) {
            if (place == skipped_levels) {
                json.value(json_writer::null{});
            } else {
                json.value(place);
            }
        }
        json.end_list();
    }
    json.end_list();
}

} // namespace mallard::advisor
