/// What makes a row of the table of kinds: an allocator by each adaptor and each binding.
#pragma once

#include "contract/kind.hpp"
#include "contract/recipe.hpp"

#include <memory>
#include <string>
#include <vector>

namespace contract {

using kinds = std::vector<kind>;

template <class Recipe, template <class> class Adaptor, template <class> class Binding>
std::unique_ptr<model::subject> make(equipment::ledger& source) {
    return std::make_unique<subject<Recipe, Adaptor, Binding>>(source);
}

template <class Recipe, template <class> class Adaptor>
void add_bindings(kinds& to, const std::string& allocator, const std::string& adaptor, bool reuses_blocks) {
    to.push_back({allocator, adaptor, "direct", reuses_blocks, make<Recipe, Adaptor, direct>});
    to.push_back(
        {allocator, adaptor, "type_parameter", reuses_blocks, make<Recipe, Adaptor, type_parameter>});
    to.push_back({allocator, adaptor, "abstract_base", reuses_blocks, make<Recipe, Adaptor, abstract_base>});
}

template <class Recipe>
void add_adaptors(kinds& to, const std::string& allocator, bool reuses_blocks) {
    add_bindings<Recipe, none>(to, allocator, "plain", reuses_blocks);
    to.push_back({allocator, "plain", "tag", reuses_blocks, make<Recipe, none, tag>});
    add_bindings<Recipe, counted>(to, allocator, "counted", reuses_blocks);
    add_bindings<Recipe, limited>(to, allocator, "limited", reuses_blocks);
    add_bindings<Recipe, failing>(to, allocator, "failing", reuses_blocks);
    // What is in quarantine is bounded, but not by what the fourth round of a program needs.
    add_bindings<Recipe, checked>(to, allocator, "checked", false);
}

} // namespace contract
