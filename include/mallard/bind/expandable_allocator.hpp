/// Binding by type parameter for containers that need more than allocate and deallocate: the version-2 allocator
/// of Boost.Container, without Boost.
///
///     mallard::heap heap;
///     boost::container::vector<int, mallard::expandable_allocator<int, mallard::heap<>>> numbers{heap};
///
/// A vector, a string and the flat containers grow and shrink in place; a list, a set, a map and a stable_vector
/// allocate and free the nodes of a range in one burst.
///
/// Data model: one pointer to the mechanism; propagation and uses-allocator construction are those of
/// bind/allocator.hpp. The type `version` announces the further functions to containers. A mask in the type
/// switches capabilities off, and a container then does without them.
///
/// Limitations of Boost.Container, 1.74 and later:
///     map, flat containers         keep pairs of their own, unknown to uses-allocator construction: strings in
///                                  them keep the allocator that they come with
///     slist                        reverses a range for every version-2 allocator
///     set::insert(first, last)     allocates node by node; with ordered_unique_range in one burst
///     a range whose element throws stable_vector frees a node twice, with any allocator; list and slist since 1.79
///                                  forget that element's node, which release() of the heap frees
///     string::shrink_to_fit        since 1.91 does not compile with a version-2 allocator
///
/// Source: Gaztañaga, "Applying classic memory allocation strategies to C++ containers", chapters 1 and 2;
/// N2045, "Improving STL allocators". Names and order of arguments are those that Boost.Container's
/// containers call.
#pragma once

#include <mallard/bind/allocator.hpp>
#include <mallard/bind/multiallocation_chain.hpp>
#include <mallard/core/build_mode.hpp>
#include <mallard/core/burst.hpp>
#include <mallard/core/concepts.hpp>
#include <mallard/core/contract.hpp>
#include <mallard/core/expansion.hpp>
#include <mallard/core/failure.hpp>
#include <mallard/core/utility.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

namespace mallard { inline namespace MALLARD_MODE {

/// The capabilities that are switched off, as in the mask of Boost's allocators: a set of ways to grow, and with
/// `|` no_shrinking and no_bursts.
struct capability_mask {
    expansion growth;
    bool shrinking;
    bool bursts;

    constexpr capability_mask(expansion no_growth, bool no_shrinks = false, bool no_many = false) noexcept
        : growth(no_growth), shrinking(no_shrinks), bursts(no_many) {}

    [[nodiscard]] friend constexpr capability_mask operator|(capability_mask a, capability_mask b) noexcept {
        return {a.growth | b.growth, a.shrinking || b.shrinking, a.bursts || b.bursts};
    }
};

inline constexpr capability_mask no_shrinking(expansion::none, true, false); ///< capacity is kept
inline constexpr capability_mask no_bursts(expansion::none, false, true);    ///< nodes come and go one by one

/// The bits of a command that allocation_command() knows: those of Boost's allocation_type, with its values.
struct command_bits {
    static constexpr unsigned allocate_new = 1;
    static constexpr unsigned expand_forward = 2;
    static constexpr unsigned expand_backward = 4;
    static constexpr unsigned shrink_in_place = 8;
    static constexpr unsigned nothrow_allocation = 16;
    static constexpr unsigned try_shrink_in_place = 64;
    static constexpr unsigned all = 31 | try_shrink_in_place;
};

/// `Masked` may be any capability but new allocation, without which a container could not begin.
template <class T, expandable A, capability_mask Masked = expansion::none>
    requires(!includes(Masked.growth, expansion::fresh))
class expandable_allocator {
public:
    using value_type = T;
    using pointer = T*;
    using size_type = std::size_t;
    using version = std::integral_constant<unsigned, 2>;
    using multiallocation_chain = mallard::multiallocation_chain<T>;
    using propagate_on_container_copy_assignment = std::false_type;
    using propagate_on_container_move_assignment = std::false_type;
    using propagate_on_container_swap = std::false_type;
    using is_always_equal = std::false_type;
    static constexpr capability_mask masked = Masked;

    template <class U>
    struct rebind {
        using other = expandable_allocator<U, A, Masked>;
    };

#if defined(__clang__) && defined(_GLIBCXX_RELEASE) && _GLIBCXX_RELEASE >= 14
    /// For clang++'s question whether a string can be made, as in `allocator`. No program can call it.
    [[gnu::error("a heap has no default: give the container its allocator")]] expandable_allocator() noexcept;
#endif

    /// Requires: `mechanism` outlives all that is allocated here.
    expandable_allocator(A& mechanism) noexcept : mechanism_(std::addressof(mechanism)) {}

    template <class U>
    expandable_allocator(const expandable_allocator<U, A, Masked>& other) noexcept
        : mechanism_(std::addressof(other.mechanism())) {}

    /// Throws: std::bad_array_new_length if the size of `n` objects is not representable; the mechanism's exceptions.
    [[nodiscard]] T* allocate(size_type n) {
        if (n > max_size()) [[unlikely]] {
            core::fail_array_length(n, sizeof(T), alignof(T));
        }
        return static_cast<T*>(mechanism_->allocate(n * sizeof(T), alignof(T)));
    }

    void deallocate(T* p, size_type n) noexcept { mechanism_->deallocate(p, n * sizeof(T), alignof(T)); }

    [[nodiscard]] static constexpr size_type max_size() noexcept { return PTRDIFF_MAX / sizeof(T); }

    /// Returns: the number of objects that the block at `p` has room for.
    [[nodiscard]] size_type size(const T* p) const noexcept {
        return mechanism_->usable_bytes(p) / sizeof(T);
    }

    // ---- expansion

    /// Effects: gives the block at `reuse`, which may be null, room for `preferred` objects, and for at least
    /// `limit`, in the first way of `command` that is open: forward, backward, a new block. With shrink_in_place,
    /// it takes away the room beyond `preferred` objects. Afterwards `preferred` is the number of objects in the
    /// block. If a new block was allocated, `reuse` is null, and the old block is not freed. try_shrink_in_place alone
    /// changes no block: `preferred` becomes the number that shrink_in_place would leave, so that a container can
    /// destroy the objects behind it first.
    /// Requires: the command is made of command_bits, and shrinks or grows. A block that grows or shrinks is no
    /// single object of allocate_one() or of a burst; one that shrinks has room for `preferred`.
    /// Returns: the block; null if nothing happened, because no way was open, or because a block that was to
    /// shrink still has room for more than `limit`, or because the mechanism has no shrunk_bytes() to try it.
    /// `preferred` and `reuse` are unchanged then.
    /// Throws: std::bad_alloc if the command allows a new block, has no nothrow_allocation, and memory runs out.
    /// A command without allocate_new throws nothing.
    [[nodiscard]] T* allocation_command(unsigned command, size_type limit, size_type& preferred, T*& reuse) {
        MALLARD_EXPECTS((command & ~command_bits::all) == 0);
        if ((command & (command_bits::shrink_in_place | command_bits::try_shrink_in_place)) != 0) {
            return shrink(command, limit, preferred, reuse);
        }
        const bool quiet = (command & command_bits::nothrow_allocation) != 0;
        if (limit > max_size()) [[unlikely]] {
            if (quiet || (command & command_bits::allocate_new) == 0) {
                return nullptr;
            }
            core::fail_array_length(limit, sizeof(T), alignof(T));
        }
        const expansion_request request{.least_bytes = limit * sizeof(T),
                                        .preferred_bytes =
                                            core::clamp(preferred, limit, max_size()) * sizeof(T),
                                        .alignment = alignof(T),
                                        .step_bytes = backward_step(sizeof(T)),
                                        .allowed = without(to_expansion(command), Masked.growth)};
        const expansion_result done =
            quiet ? mechanism_->try_expand(reuse, request) : mechanism_->expand(reuse, request);
        if (done.p == nullptr) [[unlikely]] {
            return nullptr;
        }
        preferred = done.bytes / sizeof(T);
        if (done.method == expansion::fresh) {
            reuse = nullptr;
        }
        return static_cast<T*>(done.p);
    }

    // ---- single objects and bursts of them: nodes

    /// Throws: std::bad_alloc.
    [[nodiscard]] T* allocate_one() {
        return static_cast<T*>(mechanism_->allocate(bytes_of_one, alignof(T)));
    }

    void deallocate_one(T* p) noexcept { mechanism_->deallocate(p, bytes_of_one, alignof(T)); }

    /// Effects: appends blocks for `n` single objects to `chain`.
    /// Throws: std::bad_alloc; the chain is unchanged then.
    void allocate_individual(size_type n, multiallocation_chain& chain) { allocate_many(1, n, chain); }

    /// Effects: frees all blocks of the chain.
    void deallocate_individual(multiallocation_chain& chain) noexcept {
        if constexpr (Masked.bursts) {
            while (!chain.empty()) {
                deallocate_one(chain.pop_front());
            }
        } else {
            mallard::deallocate_many(*mechanism_, chain.take(), bytes_of_one, alignof(T));
        }
    }

    // ---- bursts of arrays

    /// Effects: appends `n` blocks for `objects` objects each to `chain`. They go back by deallocate_many(), or
    /// one by one by deallocate() if they are at least as large as a pointer.
    /// Throws: std::bad_alloc; the chain is unchanged then.
    void allocate_many(size_type objects, size_type n, multiallocation_chain& chain) {
        const std::size_t bytes = representable_bytes(objects);
        if constexpr (Masked.bursts) {
            chain.append(core::allocate_one_by_one(*mechanism_, bytes, alignof(T), n));
        } else {
            chain.append(mallard::allocate_many(*mechanism_, bytes, alignof(T), n));
        }
    }

    /// Effects: appends `n` blocks to `chain`, the first for `objects[0]` objects, and so on.
    /// Throws: std::bad_alloc; the chain is unchanged then.
    void allocate_many(const size_type* objects, size_type n, multiallocation_chain& chain) {
        unfinished_arrays all(*this);
        std::array<std::size_t, 128> bytes;
        for (std::span remaining(objects, n); !remaining.empty();) {
            const std::span slice = remaining.first(core::min(remaining.size(), bytes.size()));
            for (std::size_t i = 0; i != slice.size(); ++i) {
                bytes[i] = representable_bytes(slice[i]);
            }
            if constexpr (mixed_burst_allocator<A> && !Masked.bursts) {
                all.blocks.append(
                    mechanism_->allocate_many(std::span(bytes).first(slice.size()), alignof(T)));
            } else {
                for (const std::size_t block : std::span(bytes).first(slice.size())) {
                    all.blocks.push_back(mechanism_->allocate(block, alignof(T)));
                }
            }
            remaining = remaining.subspan(slice.size());
        }
        chain.append(all.blocks.take());
    }

    /// Effects: frees all blocks of the chain, of any size.
    void deallocate_many(multiallocation_chain& chain) noexcept {
        if constexpr (mixed_burst_allocator<A> && !Masked.bursts) {
            mechanism_->deallocate_many(chain.take());
        } else {
            while (!chain.empty()) {
                T* const p = chain.pop_front();
                deallocate(p, size(p));
            }
        }
    }

    /// Effects: makes a U at `p` and hands it this allocator. std::allocator_traits itself makes types that take
    /// no allocator.
    template <class U, class... Args>
        requires bind::takes_allocator<U, expandable_allocator<U, A, Masked>> ||
                 bind::loses_allocator<U, expandable_allocator<U, A, Masked>>
    void construct(U* p, Args&&... args) {
        bind::construct_element(p, expandable_allocator<U, A, Masked>(*this), std::forward<Args>(args)...);
    }

    [[nodiscard]] expandable_allocator select_on_container_copy_construction() const noexcept {
        return *this;
    }

    [[nodiscard]] A& mechanism() const noexcept { return *mechanism_; }

private:
    /// A block in a chain has at least room for a link.
    static constexpr std::size_t bytes_of_one = core::max(sizeof(T), sizeof(void*));

    [[nodiscard]] static std::size_t representable_bytes(size_type objects) {
        if (objects > max_size()) [[unlikely]] {
            core::fail_array_length(objects, sizeof(T), alignof(T));
        }
        return core::max(objects * sizeof(T), sizeof(void*));
    }

    /// The blocks of a burst. The destructor frees those that were not handed out.
    struct unfinished_arrays {
        explicit unfinished_arrays(expandable_allocator& from) noexcept : owner(from) {}
        unfinished_arrays(const unfinished_arrays&) = delete;
        unfinished_arrays& operator=(const unfinished_arrays&) = delete;
        ~unfinished_arrays() { owner.deallocate_many(blocks); }

        expandable_allocator& owner;
        multiallocation_chain blocks;
    };

    [[nodiscard]] static constexpr expansion to_expansion(unsigned command) noexcept {
        const auto way = [command](unsigned bit, expansion one) {
            return (command & bit) != 0 ? one : expansion::none;
        };
        return way(command_bits::expand_forward, expansion::forward) |
               way(command_bits::expand_backward, expansion::backward) |
               way(command_bits::allocate_new, expansion::fresh);
    }

    [[nodiscard]] T* shrink(unsigned command, size_type limit, size_type& preferred, T* block) noexcept {
        if constexpr (!Masked.shrinking) {
            if (preferred <= limit && limit <= max_size()) {
                const size_type room = bytes_of_shrunk(command, block, preferred * sizeof(T)) / sizeof(T);
                if (room <= limit) {
                    preferred = room;
                    return block;
                }
            }
        }
        return nullptr;
    }

    /// Effects: shrinks the block to `bytes` bytes, unless the command only tries to.
    /// Returns: the bytes that it has then; SIZE_MAX if the mechanism cannot try.
    [[nodiscard]] std::size_t bytes_of_shrunk(unsigned command, T* block, std::size_t bytes) noexcept {
        if ((command & command_bits::shrink_in_place) != 0) {
            return mechanism_->shrink(block, bytes);
        }
        if constexpr (requires(const A& mechanism) { mechanism.shrunk_bytes(block, bytes); }) {
            return mechanism_->shrunk_bytes(block, bytes);
        } else {
            return SIZE_MAX;
        }
    }

    A* mechanism_;
};

/// Two allocators are equal if either can free the blocks of the other.
template <class T, class U, class A, capability_mask Masked>
[[nodiscard]] bool operator==(const expandable_allocator<T, A, Masked>& a,
                              const expandable_allocator<U, A, Masked>& b) noexcept {
    return std::addressof(a.mechanism()) == std::addressof(b.mechanism());
}

}} // namespace mallard::MALLARD_MODE
