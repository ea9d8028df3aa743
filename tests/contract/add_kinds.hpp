/// Rows of the table of kinds: an allocator by each adaptor and each binding.
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
    to.push_back({allocator, adaptor, "inline_base", reuses_blocks, make<Recipe, Adaptor, inline_base>});
}

/// Effects: adds the allocator by every binding, and by every adaptor too.
template <class Recipe>
void add_with_adaptors(kinds& to, const std::string& allocator, bool reuses_blocks) {
    add_bindings<Recipe, none>(to, allocator, "plain", reuses_blocks);
    to.push_back({allocator, "plain", "tag", reuses_blocks, make<Recipe, none, tag>});
    add_bindings<Recipe, counted>(to, allocator, "counted", reuses_blocks);
    add_bindings<Recipe, limited>(to, allocator, "limited", reuses_blocks);
    add_bindings<Recipe, failing>(to, allocator, "failing", reuses_blocks);
    add_bindings<Recipe, recorded>(to, allocator, "recorded", reuses_blocks);
    // The quarantine is bounded, but holds more than the fourth round of a program can spare.
    add_bindings<Recipe, checked>(to, allocator, "checked", false);
}

/// Effects: adds the allocator by itself. Adaptors and bindings do not know their mechanism, so that some allocators
/// show all of their behaviour; only the inline base has code for the fronts of mechanisms. A build of the full product
/// (MALLARD_FULL_PRODUCT) adds every adaptor by every binding.
template <class Recipe>
void add_kinds(kinds& to, const std::string& allocator, bool reuses_blocks) {
#if MALLARD_FULL_PRODUCT
    add_with_adaptors<Recipe>(to, allocator, reuses_blocks);
#else
    to.push_back({allocator, "plain", "direct", reuses_blocks, make<Recipe, none, direct>});
    if constexpr (mallard::core::has_front<decltype(Recipe::top)>) {
        to.push_back({allocator, "plain", "inline_base", reuses_blocks, make<Recipe, none, inline_base>});
    }
#endif
}

/// Effects: adds the allocator by itself and checked.
template <class Recipe>
void add_checked_kinds(kinds& to, const std::string& allocator, bool reuses_blocks) {
    add_kinds<Recipe>(to, allocator, reuses_blocks);
#if !MALLARD_FULL_PRODUCT
    to.push_back({allocator, "checked", "direct", false, make<Recipe, checked, direct>});
#endif
}

} // namespace contract
