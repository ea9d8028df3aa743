/// Makes a row of the table of kinds from the parts of contract/recipe.hpp.
#pragma once

#include "contract/recipe.hpp"
#include "soak/play/subject.hpp"

#include <mallard/mallard.hpp>

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace soak {

template <class Recipe, template <class> class Adaptor, template <class> class Binding>
class recipe_subject final : public subject {
public:
    explicit recipe_subject(equipment::ledger& source)
        : source_(source), recipe_(source), adaptor_(recipe_.top), binding_(adaptor_.adapted) {}

    [[nodiscard]] abilities able() const noexcept override {
        return {.releases = local,
                .rewinds = mallard::rewindable<adapted_type>,
                .bursts = direct,
                .mixed_bursts = direct && mallard::mixed_burst_allocator<adapted_type>,
                .expands = expands,
                .resizes_last = resizes_last,
                .trims = trims,
                .threads = mallard::thread_safe<adapted_type>,
                .looks = looks};
    }

    void* allocate(std::size_t bytes, std::size_t alignment) override {
        return binding_.allocate(bytes, alignment);
    }

    void deallocate(void* p, std::size_t bytes, std::size_t alignment) noexcept override {
        binding_.deallocate(p, bytes, alignment);
    }

    mallard::block_chain allocate_many(std::size_t bytes, std::size_t alignment, std::size_t count) override {
        return mallard::allocate_many(adaptor_.adapted, bytes, alignment, count);
    }

    void deallocate_many(mallard::block_chain&& blocks, std::size_t bytes,
                         std::size_t alignment) noexcept override {
        mallard::deallocate_many(adaptor_.adapted, std::move(blocks), bytes, alignment);
    }

    mallard::block_chain allocate_many([[maybe_unused]] std::span<const std::size_t> sizes,
                                       [[maybe_unused]] std::size_t alignment) override {
        if constexpr (mallard::mixed_burst_allocator<adapted_type>) {
            return adaptor_.adapted.allocate_many(sizes, alignment);
        } else {
            return {};
        }
    }

    void deallocate_many([[maybe_unused]] mallard::block_chain&& blocks) noexcept override {
        if constexpr (mallard::mixed_burst_allocator<adapted_type>) {
            adaptor_.adapted.deallocate_many(std::move(blocks));
        }
    }

    mallard::expansion_result expand([[maybe_unused]] void* p,
                                     [[maybe_unused]] const mallard::expansion_request& request,
                                     [[maybe_unused]] bool quietly) override {
        if constexpr (expands) {
            return quietly ? adaptor_.adapted.try_expand(p, request) : adaptor_.adapted.expand(p, request);
        } else {
            return {};
        }
    }

    std::size_t shrink([[maybe_unused]] void* p, [[maybe_unused]] std::size_t bytes) noexcept override {
        if constexpr (expands) {
            return adaptor_.adapted.shrink(p, bytes);
        } else {
            return 0;
        }
    }

    bool resize_last([[maybe_unused]] void* p, [[maybe_unused]] std::size_t old_bytes,
                     [[maybe_unused]] std::size_t new_bytes) noexcept override {
        if constexpr (resizes_last) {
            return adaptor_.adapted.resize_last(p, old_bytes, new_bytes);
        } else {
            return false;
        }
    }

    void release() noexcept override {
        if constexpr (local) {
            adaptor_.adapted.release();
        }
        recipe_.release_below();
        marks_.clear();
    }

    void rewind() noexcept override {
        if constexpr (mallard::rewindable<adapted_type>) {
            adaptor_.adapted.rewind();
            marks_.clear();
        }
    }

    void trim() noexcept override {
        if constexpr (trims) {
            adaptor_.adapted.trim();
        }
    }

    void mark() override {
        if constexpr (mallard::rewindable<adapted_type>) {
            marks_.push_back(adaptor_.adapted.mark());
        }
    }

    void roll_back([[maybe_unused]] std::size_t i) noexcept override {
        if constexpr (mallard::rewindable<adapted_type>) {
            adaptor_.adapted.rollback(marks_[i]);
            marks_.erase(marks_.begin() + static_cast<std::ptrdiff_t>(i) + 1, marks_.end());
        }
    }

    void fail(mallard::failure_plan plan) noexcept override {
        if constexpr (requires { adaptor_.adapted.plan(plan); }) {
            adaptor_.adapted.plan(plan);
        } else {
            source_.fail(plan);
        }
    }

    [[nodiscard]] const char* damage() const noexcept override {
        if constexpr (looks) {
            return adaptor_.adapted.check_sanity().defect;
        } else {
            return nullptr;
        }
    }

private:
    using top_type = decltype(Recipe::top);
    using adapted_type = std::remove_reference_t<decltype(Adaptor<top_type>::adapted)>;

    /// A binding that rounds sizes up would give blocks back with other numbers than those of their allocation.
    static constexpr bool direct = std::is_same_v<Binding<adapted_type>, contract::direct<adapted_type>>;
    static constexpr bool local = mallard::local_allocator<adapted_type>;
    static constexpr bool expands = direct && mallard::expandable<adapted_type>;
    static constexpr bool resizes_last =
        direct && requires(adapted_type& a, void* p, std::size_t n) { a.resize_last(p, n, n); };
    static constexpr bool trims = local && requires(adapted_type& a) { a.trim(); };
    static constexpr bool looks = requires(const adapted_type& a) { a.check_sanity().defect; };

    struct no_position {};
    template <class A>
    struct mark_type {
        using type = no_position;
    };
    template <mallard::rewindable A>
    struct mark_type<A> {
        using type = decltype(std::declval<const A&>().mark());
    };

    equipment::ledger& source_;
    Recipe recipe_;
    Adaptor<top_type> adaptor_;
    Binding<adapted_type> binding_;
    std::vector<typename mark_type<adapted_type>::type> marks_;
};

/// Has a budget that a soak exceeds now and then.
template <class A>
struct limited_to_little {
    explicit limited_to_little(A& a) : adapted(std::size_t{1} << 20, a) {}
    mallard::limited<A&> adapted;
};

/// The part for containers of Boost: single requests only.
template <class A>
class expandable : public contract::for_objects<expandable<A>> {
public:
    explicit expandable(A& a) : a_(a) {}
    [[nodiscard]] mallard::expandable_allocator<std::byte, A> of_bytes() const { return a_; }

private:
    A& a_;
};

template <class Recipe, template <class> class Adaptor, template <class> class Binding>
void add(const std::string& allocator, const char* adaptor, const char* binding, bounds most) {
    kinds().push_back({allocator, adaptor, binding, most, [](equipment::ledger& source) {
                           return std::unique_ptr<subject>(
                               std::make_unique<recipe_subject<Recipe, Adaptor, Binding>>(source));
                       }});
}

/// Effects: adds an allocator by each binding.
template <class Recipe>
void add_bindings(const std::string& allocator, bounds most = {}) {
    add<Recipe, contract::none, contract::direct>(allocator, "plain", "direct", most);
    add<Recipe, contract::none, contract::type_parameter>(allocator, "plain", "type_parameter", most);
    add<Recipe, contract::none, contract::abstract_base>(allocator, "plain", "abstract_base", most);
    if constexpr (requires {
                      requires mallard::expandable<std::remove_reference_t<decltype(Recipe::top)>>;
                  }) {
        add<Recipe, contract::none, expandable>(allocator, "plain", "expandable", most);
    }
}

/// Effects: adds an allocator by each binding, and in each adaptor.
template <class Recipe>
void add_adaptors(const std::string& allocator, bounds most = {}) {
    add_bindings<Recipe>(allocator, most);
    add<Recipe, contract::none, contract::tag>(allocator, "plain", "tag", most);
    add<Recipe, contract::counted, contract::direct>(allocator, "counted", "direct", most);
    add<Recipe, contract::failing, contract::direct>(allocator, "failing", "direct", most);
    bounds slower = most;
    slower.slowness *= 4;
    if constexpr (mallard::core::gives_fixed_blocks<std::remove_reference_t<decltype(Recipe::top)>>) {
        slower.bytes /= 2; // the guard zones lie in the block, too
    }
    add<Recipe, contract::checked, contract::direct>(allocator, "checked", "direct", slower);
    bounds bounded = most;
    bounded.may_refuse = true;
    add<Recipe, limited_to_little, contract::direct>(allocator, "limited", "direct", bounded);
}

} // namespace soak
