/// Random operations on a heap, driven by bytes, with checks after each operation.
///
///     bytes -> decisions -> operation -> the heap   ->  sound? and equal to the shadow heap?
///                                     -> the shadow heap
///
/// The bytes come from a random generator (random_test.cpp) or from a fuzzer (heap_fuzzer.cpp). A `Ground` is a
/// heap with its upstream (heap_grounds.hpp). The first fault ends the run.
#pragma once

#include "fuzz/decisions.hpp"
#include "fuzz/findings.hpp"
#include "fuzz/look_at_heap.hpp"
#include "fuzz/shadow_heap.hpp"

#include <mallard/core/alignment.hpp>
#include <mallard/core/block_chain.hpp>
#include <mallard/core/expansion.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace fuzz {

struct limits {
    std::size_t blocks = 200;
    std::size_t bytes = std::size_t{8} << 20;
    std::size_t operations_per_look = 1; ///< operations between checks of the entire heap
};

template <class Ground>
class heap_operations {
public:
    heap_operations(Ground& ground, std::span<const std::uint8_t> bytes, limits most)
        : ground_(ground), heap_(ground.heap), draw_(bytes), most_(most) {}

    /// Effects: runs all operations, and finally frees everything or leaves it to the heap.
    /// Returns: the fault with the last operations, or an empty string.
    [[nodiscard]] std::string run() {
        while (draw_.has_more() && findings_.nothing()) {
            step();
            if (findings_.nothing() && operations() % most_.operations_per_look == 0) {
                look();
            }
        }
        if (findings_.nothing()) {
            look();
            expect(shadow_.look_at_all());
        }
        if (findings_.nothing() && operations() % 2 == 0) {
            free_everything();
        }
        return findings_.report();
    }

    [[nodiscard]] std::size_t operations() const noexcept { return findings_.operations(); }

private:
    using block = shadow_heap::block;
    using expansion = mallard::expansion;

    void step() {
        const std::size_t choice = draw_.byte() % 64;
        if (choice < 16) {
            allocate(false);
        } else if (choice < 18) {
            allocate(true);
        } else if (choice < 32) {
            deallocate();
        } else if (choice < 44) {
            expand();
        } else if (choice < 48) {
            shrink();
        } else if (choice < 50) {
            allocate_many();
        } else if (choice < 52) {
            allocate_many_sizes();
        } else if (choice < 54) {
            deallocate_many();
        } else if (choice < 56) {
            change_ground();
        } else if (choice < 58) {
            ask_the_impossible();
        } else if (choice < 60) {
            look_at_one();
        } else if (choice == 60) {
            if constexpr (requires { heap_.trim(); }) {
                findings_.note("trim");
                heap_.trim();
            }
        } else if (choice == 61 && draw_.one_in(16)) {
            free_everything();
        } else if (choice == 62 && draw_.one_in(32)) {
            findings_.note("release");
            expect(shadow_.look_at_all());
            heap_.release();
            shadow_.clear();
            look();
        }
    }

    // ---- operations

    void allocate(bool at_least) {
        const std::size_t alignment = draw_.alignment();
        const std::size_t bytes = draw_.bytes_of_a_block();
        if (is_full(bytes)) {
            return deallocate();
        }
        findings_.note(at_least ? "allocate_at_least" : "allocate", bytes, alignment);
        mallard::sized_block got{.bytes = bytes};
        ask(bytes, alignment, [&](bool quietly) {
            if (at_least) {
                got = quietly ? heap_.try_allocate_at_least(bytes, alignment)
                              : heap_.allocate_at_least(bytes, alignment);
            } else {
                got.p = quietly ? heap_.try_allocate(bytes, alignment) : heap_.allocate(bytes, alignment);
            }
            return got.p;
        });
        remember(got.p, got.bytes, bytes, alignment);
    }

    void remember(void* p, std::size_t bytes, std::size_t requested_bytes, std::size_t alignment) {
        if (p != nullptr) {
            expect(shadow_.add(p, bytes, requested_bytes, alignment));
        }
    }

    void deallocate() {
        if (shadow_.size() != 0) {
            free_block(draw_.below(shadow_.size()));
        }
    }

    void free_block(std::size_t i) {
        const block b = shadow_[i];
        findings_.note("deallocate", findings_.offset(b.p), b.bytes);
        expect(shadow_.remove(i));
        if (draw_.one_in(2)) {
            heap_.deallocate(b.p, b.requested_bytes + draw_.below(b.bytes - b.requested_bytes + 1),
                             b.alignment);
        } else {
            heap_.deallocate(b.p);
        }
    }

    void expand() {
        mallard::expansion_request r;
        r.allowed = static_cast<expansion>(draw_.below(8));
        const std::size_t object_bytes = 1 + draw_.below(64);
        if (shadow_.size() == 0 || draw_.one_in(16)) {
            return expand_nothing(r.allowed);
        }
        const std::size_t i = draw_.below(shadow_.size());
        const block b = shadow_[i];
        r.alignment = b.alignment;
        r.step_bytes =
            mallard::backward_step(object_bytes, std::max(b.alignment, mallard::fundamental_alignment));
        r.least_bytes =
            draw_.one_in(8) ? draw_.bytes_of_a_block() : b.bytes + draw_.below(1 + b.bytes / 2 + 64);
        r.preferred_bytes = r.least_bytes + (draw_.one_in(2) ? draw_.below(1 + r.least_bytes) : 0);
        if (is_full(r.preferred_bytes)) {
            return deallocate();
        }
        findings_.note("expand", findings_.offset(b.p), r.least_bytes, static_cast<std::size_t>(r.allowed));
        const mallard::expansion_result result = ask_to_expand(b.p, r);
        if (result.p == nullptr) {
            check(result.bytes == 0 && result.method == expansion::none, "an answer that contradicts itself");
        } else if (result.method == expansion::fresh) {
            check(includes(r.allowed, expansion::fresh), "a fresh block that was not allowed");
            expect(shadow_.look_at(i));
            remember(result.p, result.bytes, r.least_bytes, r.alignment);
            if (findings_.nothing() && draw_.one_in(2)) {
                free_block(i);
            }
        } else {
            check(includes(r.allowed, result.method), "a growth that was not allowed");
            const auto moved = static_cast<std::size_t>(b.p - static_cast<std::byte*>(result.p));
            check(result.method == expansion::forward ? moved == 0 : moved != 0 && moved % r.step_bytes == 0,
                  "a block that begins at the wrong place");
            check(result.bytes >= std::min(b.bytes, r.least_bytes), "a block that is too small");
            expect(shadow_.resize(i, result.p, result.bytes, r.least_bytes));
        }
    }

    void expand_nothing(expansion may) {
        mallard::expansion_request r{.alignment = draw_.alignment(), .allowed = may};
        r.least_bytes = draw_.bytes_of_a_block();
        r.preferred_bytes = r.least_bytes + draw_.below(100);
        if (is_full(r.preferred_bytes)) {
            return deallocate();
        }
        findings_.note("expand nothing", r.least_bytes, r.alignment, static_cast<std::size_t>(r.allowed));
        const mallard::expansion_result result = ask_to_expand(nullptr, r);
        check(result.p == nullptr || (result.method & r.allowed) == expansion::fresh, "a block from nowhere");
        remember(result.p, result.bytes, r.least_bytes, r.alignment);
    }

    void shrink() {
        if (shadow_.size() == 0) {
            return;
        }
        const std::size_t i = draw_.below(shadow_.size());
        const block b = shadow_[i];
        const std::size_t bytes = draw_.below(b.bytes + 1);
        findings_.note("shrink", findings_.offset(b.p), b.bytes, bytes);
        const std::size_t kept_bytes = heap_.shrink(b.p, bytes);
        check(kept_bytes >= bytes, "a block that shrank too much");
        if (Ground::knows_sizes) {
            check(kept_bytes == heap_.usable_bytes(b.p), "a block of two sizes");
        }
        expect(shadow_.resize(i, b.p, std::min(kept_bytes, b.bytes), bytes));
    }

    void allocate_many() {
        const std::size_t count = draw_.below(40);
        const std::size_t alignment = draw_.alignment();
        const std::size_t bytes = std::max(sizeof(void*), draw_.bytes_of_a_block() % 4096);
        if (is_full(count * (bytes + alignment)) || !may_throw(count * (bytes + 64 + 2 * alignment))) {
            return;
        }
        findings_.note("allocate_many", bytes, alignment, count);
        take_burst([&] { return heap_.allocate_many(bytes, alignment, count); },
                   std::vector<std::size_t>(count, bytes), alignment);
    }

    void allocate_many_sizes() {
        const std::size_t alignment = draw_.alignment();
        std::vector<std::size_t> sizes(draw_.below(24));
        std::size_t sum = 0;
        for (std::size_t& bytes : sizes) {
            bytes = std::max(sizeof(void*), draw_.bytes_of_a_block() % 4096);
            sum += bytes + 64 + 2 * alignment;
        }
        if (is_full(sum) || !may_throw(sum)) {
            return;
        }
        findings_.note("allocate_many of sizes", sizes.size(), alignment);
        take_burst([&] { return heap_.allocate_many(sizes, alignment); }, sizes, alignment);
    }

    template <class Ask>
    void take_burst(Ask ask_for_them, const std::vector<std::size_t>& sizes, std::size_t alignment) {
        mallard::block_chain blocks;
#ifdef __cpp_exceptions
        try {
            blocks = ask_for_them();
        } catch (const std::bad_alloc&) {
            return check(ground_.may_refuse(), "a burst that was refused");
        }
#else
        blocks = ask_for_them();
#endif
        check(blocks.size() == sizes.size(), "a burst of another number of blocks");
        std::vector<void*> all;
        while (void* p = blocks.pop_front()) {
            all.push_back(p);
        }
        check(all.size() == sizes.size(), "a chain that ends elsewhere");
        for (std::size_t i = 0; i < all.size() && findings_.nothing(); ++i) {
            remember(all[i], sizes[i], sizes[i], alignment);
        }
    }

    /// Frees adjacent blocks, or random ones.
    void deallocate_many() {
        const bool row = draw_.one_in(2);
        std::size_t count = std::min(draw_.below(40), shadow_.size());
        findings_.note("deallocate_many", count, row ? 1 : 0);
        mallard::block_chain blocks;
        while (count-- != 0 && shadow_.size() != 0) {
            const std::size_t i = row ? shadow_.size() - 1 : draw_.below(shadow_.size());
            const block b = shadow_[i];
            if (b.bytes < sizeof(void*)) {
                free_block(i);
                continue;
            }
            expect(shadow_.remove(i));
            row ? blocks.push_front(b.p) : blocks.push_back(b.p);
        }
        heap_.deallocate_many(std::move(blocks));
    }

    void change_ground() {
        const std::size_t choice = draw_.byte();
        findings_.note("change of ground", choice);
        ground_.change(choice);
    }

    void ask_the_impossible() {
        const std::size_t bytes = (draw_.one_in(2) ? SIZE_MAX : std::size_t{PTRDIFF_MAX}) - draw_.below(5000);
        const std::size_t alignment = draw_.alignment();
        findings_.note("ask for too much", bytes, alignment);
        check(heap_.try_allocate(bytes, alignment) == nullptr, "a block of no possible size");
        check(heap_.try_allocate_at_least(bytes, alignment).p == nullptr, "a block of no possible size");
        void* const p = shadow_.size() == 0 ? nullptr : shadow_[draw_.below(shadow_.size())].p;
        check(heap_.try_expand(p, {.least_bytes = bytes, .preferred_bytes = SIZE_MAX}).p == nullptr,
              "a growth to no possible size");
    }

    void look_at_one() {
        if (shadow_.size() != 0) {
            const std::size_t i = draw_.below(shadow_.size());
            findings_.note("look at", findings_.offset(shadow_[i].p));
            expect(shadow_.look_at(i));
            check(heap_.usable_bytes(shadow_[i].p) >= shadow_[i].bytes, "a block that has less than it had");
        }
    }

    void free_everything() {
        findings_.note("free everything");
        while (shadow_.size() != 0 && findings_.nothing()) {
            free_block(draw_.below(shadow_.size()));
        }
        if (findings_.nothing()) {
            look();
        }
        if constexpr (Ground::knows_sizes) {
            check(heap_.use().used_blocks == 0, "blocks in use after all were freed");
            heap_.settle();
            check(heap_.use().free_blocks == ground_.rooms(), "more than one free block in a chunk");
        }
    }

    // ---- requests

    [[nodiscard]] bool is_full(std::size_t bytes) const {
        return shadow_.size() >= most_.blocks || shadow_.bytes() + bytes > most_.bytes;
    }

    /// Returns: true if the next request may throw.
    bool may_throw([[maybe_unused]] std::size_t bytes) {
#ifdef __cpp_exceptions
        return true;
#else
        return !ground_.may_refuse();
#endif
    }

    /// Returns: the result of `ask_it(quietly)`; null if it throws.
    template <class Ask>
    void* ask(std::size_t bytes, std::size_t alignment, Ask ask_it) {
        const bool quietly = draw_.one_in(2) || !may_throw(bytes);
        void* p = nullptr;
#ifdef __cpp_exceptions
        try {
            p = ask_it(quietly);
        } catch (const std::bad_alloc&) {
            check(!quietly, "an exception where none was expected");
        }
#else
        p = ask_it(quietly);
#endif
        if (p == nullptr) {
            check(ground_.may_refuse(), "a request that was refused");
            if constexpr (Ground::knows_sizes) {
                // The next size class is at most an eighth larger, plus the alignment and a word.
                check(heap_.use().largest_free_bytes < bytes + bytes / 8 + 2 * alignment + 64,
                      "a request that was refused where there was room");
            }
        }
        return p;
    }

    mallard::expansion_result ask_to_expand(void* p, const mallard::expansion_request& r) {
        mallard::expansion_result result;
        const auto get = [&](bool quietly) {
            result = quietly ? heap_.try_expand(p, r) : heap_.expand(p, r);
            return result.p;
        };
        if (includes(r.allowed, expansion::fresh)) {
            ask(r.least_bytes, r.alignment, get);
        } else {
            get(draw_.one_in(2));
        }
        check(result.p == nullptr || result.bytes >= r.least_bytes, "a block that is too small");
        return result;
    }

    void look() { expect(look_at_heap<Ground::knows_sizes>(heap_, shadow_)); }

    void expect(const char* wrong) { findings_.expect(wrong); }
    void check(bool is_true, const char* message) { findings_.expect(is_true ? nullptr : message); }

    Ground& ground_;
    std::remove_reference_t<decltype(Ground::heap)>& heap_;
    decisions draw_;
    limits most_;
    shadow_heap shadow_;
    findings findings_;
};

} // namespace fuzz
