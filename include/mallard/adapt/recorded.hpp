/// Reports the blocks of one mechanism to `mallard record`, which otherwise sees only the chunks from its upstream.
///
///     mallard::recorded<mallard::multipool<>> nodes("nodes");
///     ...
///     nodes.release();       // all its blocks end here
///
/// Without a recorder each operation costs a load, a comparison and a branch that is not taken (record/scope.hpp). Static
/// programs are recorded too, if they are linked with mallard::recorder.
///
/// Data model: the name, and the pool's number, which the recorder gives at the first allocation. A recorded block is
/// one of the pool: distinct from the chunk around it, which may come from malloc. Its size is the requested size,
/// or all usable bytes if they were reported to the caller. A block that changes in size or place is recorded as
/// a new one. A mark holds the number of allocations so far, so that a rollback reports the number of
/// allocations that it undoes. Those that were freed count, those that were rolled back do not.
#pragma once

#include <mallard/adapt/adaptor.hpp>
#include <mallard/core/block_chain.hpp>
#include <mallard/core/build_mode.hpp>
#include <mallard/core/concepts.hpp>
#include <mallard/core/expansion.hpp>
#include <mallard/record/scope.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>

namespace mallard::adapt { inline namespace MALLARD_MODE {

class recording : public passing {
public:
    using passing::operator();

    void name(const char* name) noexcept { name_ = name; }

    /// Effects: records the release of the mechanism's blocks.
    void end_blocks() noexcept {
        if (pool_ != 0) [[unlikely]] {
            record::in_place::loaded_recorder()->released(pool_);
        }
    }

    template <class Mechanism, class Call>
    auto operator()(Mechanism&, const allocation& a, Call call) {
        const auto block = call(a);
        allocated(block, a.bytes);
        return block;
    }

    template <class Mechanism, class Call>
    block_chain operator()(Mechanism&, const burst& b, Call call) {
        block_chain blocks = call(b);
        if (record::in_place::loaded_recorder() != nullptr) [[unlikely]] {
            blocks.for_each([&](const void* p) { allocated(p, b.bytes); });
        }
        return blocks;
    }

    template <class Mechanism, class Call>
    block_chain operator()(Mechanism&, const mixed_burst& b, Call call) {
        block_chain blocks = call(b);
        if (record::in_place::loaded_recorder() != nullptr) [[unlikely]] {
            auto bytes = b.sizes.begin();
            blocks.for_each([&](const void* p) { allocated(p, *bytes++); });
        }
        return blocks;
    }

    /// A fresh block leaves the old one to the caller.
    template <class Mechanism, class Call>
    expansion_result operator()(Mechanism&, const growth& g, Call call) {
        const expansion_result done = call(g);
        if (done.p != nullptr) {
            if (done.method != expansion::fresh) {
                freed(g.p);
            }
            allocated(done.p, done.bytes);
        }
        return done;
    }

    template <class Mechanism, class Call>
    std::size_t operator()(Mechanism& m, const shrinking& s, Call call) {
        const std::size_t old_bytes = m.usable_bytes(s.p);
        const std::size_t new_bytes = call(s);
        if (new_bytes != old_bytes) {
            freed(s.p);
            allocated(static_cast<const void*>(s.p), new_bytes);
        }
        return new_bytes;
    }

    template <class Mechanism, class Call>
    bool operator()(Mechanism&, const resizing& r, Call call) {
        const bool done = call(r);
        if (done && r.new_bytes != r.old_bytes) {
            freed(r.p);
            if (r.new_bytes != 0) {
                allocated(static_cast<const void*>(r.p), r.new_bytes);
            }
        }
        return done;
    }

    // Recorded before the deallocation, so that no event of the next owner precedes it.

    template <class Mechanism, class Call>
    void operator()(Mechanism&, const deallocation& d, Call call) {
        freed(d.p);
        call(d);
    }

    template <class Mechanism, class Call>
    void operator()(Mechanism&, const burst_return& b, Call call) {
        freed(b.blocks);
        call(b);
    }

    template <class Mechanism, class Call>
    void operator()(Mechanism&, const mixed_return& b, Call call) {
        freed(b.blocks);
        call(b);
    }

    template <class Call>
    bool adopt(recording&, Call) = delete; // a trace has no event for it

    template <class Mechanism, class Call>
    void operator()(Mechanism&, ending e, Call call) {
        end_blocks();
        call(e);
    }

    template <class Mechanism, class Call>
    auto operator()(Mechanism&, marking m, Call call) const {
        return std::pair{call(m), allocations_};
    }

    template <class Mechanism, class Position, class Call>
    void operator()(Mechanism&, const rolling_back<Position>& r, Call call) {
        if (pool_ != 0) [[unlikely]] {
            record::in_place::loaded_recorder()->rolled_back(allocations_ - r.to.second, pool_);
        }
        allocations_ = r.to.second;
        call(rolling_back<decltype(r.to.first)>{r.to.first});
    }

private:
    void allocated(const sized_block& block, std::size_t) noexcept { allocated(block.p, block.bytes); }

    void allocated(const void* p, std::size_t bytes) noexcept {
        const record::functions* const recorder = record::in_place::loaded_recorder();
        if (recorder == nullptr || p == nullptr) [[likely]] {
            return;
        }
        ++allocations_;
        if (pool_ == 0) {
            pool_ = recorder->pool(name_);
        }
        if (pool_ != 0) {
            recorder->allocated(p, bytes, pool_);
        }
    }

    void freed(const void* p) const noexcept {
        if (pool_ != 0 && p != nullptr) [[unlikely]] {
            record::in_place::loaded_recorder()->freed(p, pool_);
        }
    }

    void freed(const block_chain& blocks) const noexcept {
        if (pool_ != 0) [[unlikely]] {
            blocks.for_each([this](const void* p) { freed(p); });
        }
    }

    const char* name_ = nullptr;
    record::number pool_ = 0;     ///< 0 until the recorder has seen a block
    std::size_t allocations_ = 0; ///< that were neither rolled back nor unrecorded
};

}} // namespace mallard::adapt::MALLARD_MODE

namespace mallard { inline namespace MALLARD_MODE {

/// Around an allocator it reports the blocks of the program; as an upstream it reports the chunks of allocators.
template <class A>
class recorded : public adapt::adaptor<A, adapt::recording> {
    using base = adapt::adaptor<A, adapt::recording>;

public:
    using base::base;

    /// Effects: names the pool in the profile. Pools may share a name.
    /// Requires: the name lives as long as this object.
    template <class... Args>
        requires std::is_constructible_v<A, Args...>
    explicit recorded(const char* name, Args&&... args) : base(std::forward<Args>(args)...) {
        this->hook_.name(name);
    }

    /// Effects: records the release of the blocks of an owned mechanism, if it can release them.
    ~recorded() {
        if constexpr (!std::is_reference_v<A> && local_allocator<A>) {
            this->hook_.end_blocks();
        }
    }
};

}} // namespace mallard::MALLARD_MODE
