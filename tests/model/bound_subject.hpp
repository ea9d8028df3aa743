/// Subjects of the components in recipe.hpp.
#pragma once

#include "model/recipe.hpp"
#include "model/shadow.hpp"
#include "model/subject.hpp"

#include <mallard/impl/space/heap_block.hpp>
#include <mallard/mallard.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace model {

/// Returns: a difference between the blocks of a heap and its shadow, or two free blocks that were not merged; null if
/// there is none.
template <class Heap>
const char* compare_blocks(const Heap& heap, const shadow& blocks) {
    const char* wrong = nullptr;
    std::size_t used = 0;
    std::uintptr_t end_of_free = 0;
    heap.for_each_block([&](const mallard::heap_block_info& info) {
        const auto begin = reinterpret_cast<std::uintptr_t>(info.p);
        if (info.waits) {
            return; // not merged with its neighbours yet
        }
        if (!info.in_use) {
            wrong = end_of_free + mallard::space::heap_block::tag_bytes == begin
                        ? "two free blocks that are neighbours"
                        : wrong;
            end_of_free = begin + info.bytes;
            return;
        }
        ++used;
        const std::uintptr_t* const end = blocks.find_end(info.p);
        if (end == nullptr) {
            wrong = "a block in use that nobody has";
        } else if (*end > begin + std::max<std::size_t>(info.bytes, 1)) {
            wrong = "a block that is shorter than its user thinks";
        }
    });
    return wrong == nullptr && used != blocks.size() ? "blocks that the heap has lost" : wrong;
}

/// An allocator in an adaptor, called directly.
template <class Recipe, template <class> class Adaptor>
class adapted_subject : public subject {
public:
    explicit adapted_subject(equipment::ledger& source)
        : source_(source), recipe_(source), adaptor_(recipe_.top) {}

    [[nodiscard]] abilities able() const noexcept override {
        return {.releases = local,
                .rewinds = mallard::rewindable<adapted_type>,
                .bursts = true,
                .mixed_bursts = mallard::mixed_burst_allocator<adapted_type>,
                .expands = expands,
                .resizes_last = resizes_last,
                .tries = tries,
                .threads = mallard::thread_safe<adapted_type>,
                .walks = walks,
                .owns = owning,
                .counts = counts};
    }

    void* allocate(std::size_t bytes, std::size_t alignment) override {
        return adapted().allocate(bytes, alignment);
    }
    void deallocate(void* p, std::size_t bytes, std::size_t alignment) noexcept override {
        adapted().deallocate(p, bytes, alignment);
    }

    void release() noexcept override {
        if constexpr (local) {
            adapted().release();
        }
        recipe_.release_below();
        marks_.clear();
    }
    void rewind() noexcept override {
        if constexpr (mallard::rewindable<adapted_type>) {
            adapted().rewind();
            marks_.clear();
        } else {
            release();
        }
    }
    void trim() noexcept override {
        if constexpr (local && requires(adapted_type& a) { a.trim(); }) {
            adapted().trim();
        }
        if constexpr (local && requires(adapted_type& a) { a.tidy(); }) {
            adapted().tidy();
        }
    }

    mallard::block_chain allocate_many(std::size_t bytes, std::size_t alignment, std::size_t count) override {
        return mallard::allocate_many(adapted(), bytes, alignment, count);
    }
    void deallocate_many(mallard::block_chain&& blocks, std::size_t bytes,
                         std::size_t alignment) noexcept override {
        mallard::deallocate_many(adapted(), std::move(blocks), bytes, alignment);
    }
    mallard::block_chain allocate_many(std::span<const std::size_t> sizes, std::size_t alignment) override {
        if constexpr (mallard::mixed_burst_allocator<adapted_type>) {
            return adapted().allocate_many(sizes, alignment);
        } else {
            return subject::allocate_many(sizes, alignment);
        }
    }
    void deallocate_many([[maybe_unused]] mallard::block_chain&& blocks) noexcept override {
        if constexpr (mallard::mixed_burst_allocator<adapted_type>) {
            adapted().deallocate_many(std::move(blocks));
        }
    }

    mallard::sized_block allocate_at_least(std::size_t bytes, std::size_t alignment) override {
        if constexpr (expands) {
            return adapted().allocate_at_least(bytes, alignment);
        } else {
            return subject::allocate_at_least(bytes, alignment);
        }
    }
    void* try_allocate(std::size_t bytes, std::size_t alignment) noexcept override {
        if constexpr (tries) {
            return adapted().try_allocate(bytes, alignment);
        } else {
            return subject::try_allocate(bytes, alignment);
        }
    }
    mallard::sized_block try_allocate_at_least(std::size_t bytes, std::size_t alignment) noexcept override {
        if constexpr (expands) {
            return adapted().try_allocate_at_least(bytes, alignment);
        } else {
            return subject::try_allocate_at_least(bytes, alignment);
        }
    }
    void deallocate([[maybe_unused]] void* p) noexcept override {
        if constexpr (expands) {
            adapted().deallocate(p);
        }
    }
    [[nodiscard]] std::size_t usable_bytes(const void* p) const noexcept override {
        if constexpr (expands) {
            return adapted().usable_bytes(p);
        } else {
            return subject::usable_bytes(p);
        }
    }
    mallard::expansion_result expand(void* p, const mallard::expansion_request& request) override {
        if constexpr (expands) {
            return adapted().expand(p, request);
        } else {
            return subject::expand(p, request);
        }
    }
    mallard::expansion_result try_expand(void* p,
                                         const mallard::expansion_request& request) noexcept override {
        if constexpr (expands) {
            return adapted().try_expand(p, request);
        } else {
            return subject::try_expand(p, request);
        }
    }
    std::size_t shrink(void* p, std::size_t bytes) noexcept override {
        if constexpr (expands) {
            return adapted().shrink(p, bytes);
        } else {
            return subject::shrink(p, bytes);
        }
    }

    bool resize_last(void* p, std::size_t old_bytes, std::size_t new_bytes) noexcept override {
        if constexpr (resizes_last) {
            return adapted().resize_last(p, old_bytes, new_bytes);
        } else {
            return subject::resize_last(p, old_bytes, new_bytes);
        }
    }

    void mark() override {
        if constexpr (mallard::rewindable<adapted_type>) {
            marks_.push_back(adapted().mark());
        }
    }
    void roll_back([[maybe_unused]] std::size_t i) noexcept override {
        if constexpr (mallard::rewindable<adapted_type>) {
            adapted().rollback(marks_[i]);
            marks_.erase(marks_.begin() + static_cast<std::ptrdiff_t>(i) + 1, marks_.end());
        }
    }

    void fail(mallard::failure_plan plan) noexcept override {
        if constexpr (requires(adapted_type& a) { a.plan(plan); }) {
            adapted().plan(plan);
        } else {
            source_.fail(plan);
        }
    }

    void change_memory([[maybe_unused]] std::size_t choice) noexcept override {
        if constexpr (requires(Recipe& r) { r.change_memory(choice); }) {
            recipe_.change_memory(choice);
        }
    }

    [[nodiscard]] mallard::allocator_stats stats() const noexcept override { return find_stats(adapted()); }

    [[nodiscard]] bool owns([[maybe_unused]] const void* p) const noexcept override {
        if constexpr (owning) {
            return adapted().owns(p);
        } else {
            return false;
        }
    }

    [[nodiscard]] std::size_t bytes_in_use() const noexcept override {
        if constexpr (counts) {
            return adapted().bytes_in_use();
        } else {
            return 0;
        }
    }

    [[nodiscard]] const char* damage([[maybe_unused]] const shadow& blocks) const noexcept override {
        if constexpr (requires(const adapted_type& a) { a.check_sanity().defect; }) {
            if (const char* const defect = adapted().check_sanity().defect) {
                return defect;
            }
        }
        if (alone && !source_.granted().empty()) {
            const mallard::allocator_stats s = stats();
            if (s.chunks + s.large_blocks != source_.outstanding() ||
                s.chunk_bytes + s.large_bytes != source_.outstanding_bytes() ||
                s.upstream_calls != source_.granted().size()) {
                return "statistics of other chunks than those that the upstream has granted";
            }
        }
        if constexpr (walks) {
            return blocks.is_complete() ? compare_blocks(adapted(), blocks) : nullptr;
        } else {
            return nullptr;
        }
    }

    [[nodiscard]] const char* remains() noexcept override {
        if constexpr (walks) {
            if (adapted().use().used_blocks != 0) {
                return "blocks in use after all were freed";
            }
            std::size_t rooms = 1;
            if constexpr (!requires(adapted_type& a) { a.region_bytes(); }) {
                rooms = adapted().stats().chunks;
            }
            adapted().settle();
            return adapted().use().free_blocks == rooms ? nullptr : "more than one free block in a chunk";
        } else {
            return nullptr;
        }
    }

    [[nodiscard]] std::size_t largest_free_bytes() const noexcept override {
        if constexpr (walks) {
            return adapted().use().largest_free_bytes;
        } else {
            return 0;
        }
    }

    void check() const noexcept override {
        if constexpr (checks) {
            mallard::check(adapted());
        }
    }
    void set_quarantine([[maybe_unused]] mallard::quarantine_bounds most) noexcept override {
        if constexpr (checks) {
            mallard::set_quarantine(adapted(), most);
        }
    }
    void expect_all_freed() const noexcept override {
        if constexpr (checks) {
            mallard::expect_all_freed(adapted());
        }
    }
    void expect_all_freed_at_end() noexcept override {
        if constexpr (checks) {
            mallard::expect_all_freed_at_end(adapted());
        }
    }

protected:
    using top_type = std::remove_reference_t<decltype(Recipe::top)>;
    using adapted_type = std::remove_reference_t<decltype(Adaptor<top_type>::adapted)>;

    [[nodiscard]] adapted_type& adapted() noexcept { return adaptor_.adapted; }
    [[nodiscard]] const adapted_type& adapted() const noexcept { return adaptor_.adapted; }

private:
    static constexpr bool local = mallard::local_allocator<adapted_type>;
    static constexpr bool expands = mallard::expandable<adapted_type>;
    static constexpr bool tries = mallard::nothrow_upstream<adapted_type>;
    static constexpr bool resizes_last =
        requires(adapted_type& a, void* p, std::size_t n) { a.resize_last(p, n, n); };
    static constexpr bool checks = requires(const adapted_type& a) { a.check(); } ||
                                   requires(adapted_type& a) { a.mechanism().check(); };
    static constexpr bool owning = requires(const adapted_type& a, const void* p) { a.owns(p); };
    /// Of monotonic's bytes in use, paddings and lost rests are a part.
    static constexpr bool counts = requires(const adapted_type& a) { a.counts(); } ||
                                   requires(const adapted_type& a) { a.limit_bytes(); };
    /// Chunks of an allocator over another one are blocks of that one.
    static constexpr bool alone = !requires(const Recipe& r) { r.below; };
    /// An adaptor may refuse a request although there is room, or keep blocks back.
    static constexpr bool walks =
        std::is_same_v<Adaptor<top_type>, none<top_type>> && !checks &&
        requires(adapted_type& a) { a.for_each_block([](const mallard::heap_block_info&) {}); };

    template <class A>
    static mallard::allocator_stats find_stats(const A& a) noexcept {
        if constexpr (requires(mallard::allocator_stats s) { s = a.stats(); }) {
            return a.stats();
        } else if constexpr (requires { a.mechanism(); }) {
            return find_stats(a.mechanism());
        } else {
            return {};
        }
    }

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
    std::vector<typename mark_type<adapted_type>::type> marks_;
};

/// An allocator in an adaptor, called by a binding, which may round sizes up. Only single requests go through it.
template <class Recipe, template <class> class Adaptor, template <class> class Binding>
class bound_subject final : public adapted_subject<Recipe, Adaptor> {
    using base = adapted_subject<Recipe, Adaptor>;

public:
    explicit bound_subject(equipment::ledger& source) : base(source) {}

    [[nodiscard]] abilities able() const noexcept override {
        abilities all = base::able();
        all.bursts = all.mixed_bursts = all.expands = all.resizes_last = all.walks = all.counts = false;
        all.tries = tries;
        return all;
    }

    void* allocate(std::size_t bytes, std::size_t alignment) override {
        return binding_.allocate(bytes, alignment);
    }
    void* try_allocate(std::size_t bytes, std::size_t alignment) noexcept override {
        if constexpr (tries) {
            return binding_.try_allocate(bytes, alignment);
        } else {
            return subject::try_allocate(bytes, alignment);
        }
    }
    using base::deallocate;
    void deallocate(void* p, std::size_t bytes, std::size_t alignment) noexcept override {
        binding_.deallocate(p, bytes, alignment);
    }

private:
    using binding_type = Binding<typename base::adapted_type>;
    static constexpr bool tries = mallard::nothrow_upstream<typename base::adapted_type> &&
                                  requires(binding_type& b) { b.try_allocate(1, 1); };

    binding_type binding_{base::adapted()};
};

template <class Recipe, template <class> class Adaptor, template <class> class Binding>
std::unique_ptr<subject> make_bound(equipment::ledger& source) {
    return std::make_unique<bound_subject<Recipe, Adaptor, Binding>>(source);
}

template <class Recipe, template <class> class Adaptor>
std::unique_ptr<subject> make_adapted(equipment::ledger& source) {
    return std::make_unique<adapted_subject<Recipe, Adaptor>>(source);
}

} // namespace model
