/// Rows of the list of kinds: an allocator by adaptors and bindings. These do not know their mechanism, so that every
/// pair of two of the three is enough, and two allocators with all that adaptors and bindings use have every triple.
/// Only the inline base has code for the fronts of mechanisms.
///
///                     the suite                       a soak, a thorough build
///     alone           alone, by the inline base       in each adaptor, and by each binding
///     checked         and checked                     the same
///     bound           by each binding                 by each binding
///     adapted         and in each adaptor             the same
///     everything      each adaptor by each binding    the same
#pragma once

#include "model/bound_subject.hpp"
#include "model/kinds.hpp"

#include <string>
#include <vector>

#ifndef MALLARD_EVERY_ADAPTOR
#define MALLARD_EVERY_ADAPTOR MALLARD_THOROUGH
#endif

namespace model {

using kind_list = std::vector<kind>;

// The parts of the list.
void add_heaps(kind_list& to);
void add_monotonics(kind_list& to);
void add_multipools(kind_list& to);
void add_pools(kind_list& to);
void add_shared(kind_list& to);
void add_upstreams(kind_list& to);

enum class extent { alone, checked, bound, adapted, everything };

template <class Recipe, extent Extent>
class row {
public:
    row(kind_list& to, std::string allocator, const traits& properties, const bounds& most)
        : to_(to), allocator_(std::move(allocator)), traits_(properties), most_(most) {}

    void add() {
        add_plain();
        if constexpr (Extent == extent::bound) {
            return;
        }
        if constexpr (each_adaptor || Extent == extent::checked) {
            // The quarantine is bounded, but holds more than the fourth round of a program can spare.
            traits checked_traits = traits_;
            checked_traits.leaves_no_trace = false;
            bounds checked_most = most_;
            checked_most.slowness *= 4;
            if constexpr (mallard::core::gives_fixed_blocks<top_type>) {
                checked_most.bytes /= 2; // the guard zones lie in the block
            }
            add_adaptor<checked>("checked", checked_traits, checked_most);
        }
        if constexpr (each_adaptor) {
            add_adaptor<counted>("counted", traits_, most_);
            add_adaptor<limited>("limited", traits_, most_);
            add_adaptor<failing>("failing", traits_, most_);
            add_adaptor<recorded>("recorded", traits_, most_);
            add_adaptor<sealed>("sealed", traits_, most_);
            add_adaptor<retrying>("retrying", traits_, most_);
            bounds bounded = most_;
            bounded.may_refuse = true;
            traits little = traits_;
            little.any_size = false;
            to_.push_back({little, allocator_, "limited_to_little", "direct", bounded,
                           make_adapted<Recipe, limited_to_little>});
        }
    }

private:
    using top_type = std::remove_reference_t<decltype(Recipe::top)>;
    static constexpr bool each_adaptor = Extent == extent::adapted || Extent == extent::everything ||
                                         (MALLARD_EVERY_ADAPTOR && Extent != extent::bound);
    static constexpr bool each_binding = each_adaptor || Extent == extent::bound;

    template <template <class> class Adaptor, template <class> class Binding>
    void add_binding(const char* adaptor, const char* binding, const traits& properties, const bounds& most) {
        to_.push_back({properties, allocator_, adaptor, binding, most, make_bound<Recipe, Adaptor, Binding>});
    }

    template <template <class> class Adaptor>
    void add_bindings(const char* adaptor, const traits& properties, const bounds& most) {
        add_binding<Adaptor, type_parameter>(adaptor, "type_parameter", properties, most);
        add_binding<Adaptor, abstract_base>(adaptor, "abstract_base", properties, most);
        add_binding<Adaptor, inline_base>(adaptor, "inline_base", properties, most);
    }

    void add_plain() {
        to_.push_back({traits_, allocator_, "plain", "direct", most_, make_adapted<Recipe, none>});
        if constexpr (each_binding) {
            add_bindings<none>("plain", traits_, most_);
        } else if constexpr (mallard::core::has_front<top_type>) {
            add_binding<none, inline_base>("plain", "inline_base", traits_, most_);
        }
        if constexpr (each_adaptor) {
            add_binding<none, tag>("plain", "tag", traits_, most_);
        }
        if constexpr (MALLARD_EVERY_ADAPTOR && mallard::expandable<top_type>) {
            add_binding<none, expandable>("plain", "expandable", traits_, most_);
        }
    }

    template <template <class> class Adaptor>
    void add_adaptor(const char* adaptor, const traits& properties, const bounds& most) {
        to_.push_back({properties, allocator_, adaptor, "direct", most, make_adapted<Recipe, Adaptor>});
        if constexpr (Extent == extent::everything) {
            add_bindings<Adaptor>(adaptor, properties, most);
        }
    }

    kind_list& to_;
    std::string allocator_;
    traits traits_;
    bounds most_;
};

/// Effects: adds the kinds of an allocator.
template <class Recipe, extent Extent = extent::alone>
void add(kind_list& to, const std::string& allocator, const traits& properties = {},
         const bounds& most = {}) {
    row<Recipe, Extent>(to, allocator, properties, most).add();
}

} // namespace model
