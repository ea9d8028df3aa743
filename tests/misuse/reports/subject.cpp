#include "misuse/reports/subject.hpp"

#include <mallard/mallard.hpp>

#include <cstdio>

namespace reports {

namespace {

template <class A>
class erased_subject final : public subject {
public:
    template <class... Args>
    explicit erased_subject(Args... args) : allocator_(args...) {}

    void* allocate(std::size_t bytes, std::size_t alignment) override {
        return allocator_.allocate(bytes, alignment);
    }
    void deallocate(void* p, std::size_t bytes, std::size_t alignment) noexcept override {
        allocator_.deallocate(p, bytes, alignment);
    }
    void release() noexcept override { allocator_.release(); }

    void deallocate([[maybe_unused]] void* p) noexcept override {
        if constexpr (mallard::expandable<A>) {
            allocator_.deallocate(p);
        }
    }
    [[nodiscard]] std::size_t usable_bytes([[maybe_unused]] const void* p) const noexcept override {
        if constexpr (mallard::expandable<A>) {
            return allocator_.usable_bytes(p);
        }
        return 0;
    }
    mallard::expansion_result expand([[maybe_unused]] void* p,
                                     [[maybe_unused]] const mallard::expansion_request& request) override {
        if constexpr (mallard::expandable<A>) {
            return allocator_.expand(p, request);
        }
        return {};
    }
    std::size_t shrink([[maybe_unused]] void* p, [[maybe_unused]] std::size_t bytes) noexcept override {
        if constexpr (mallard::expandable<A>) {
            return allocator_.shrink(p, bytes);
        }
        return 0;
    }

    void check() const noexcept override { mallard::check(allocator_); }
    void set_quarantine(mallard::quarantine_bounds bounds) noexcept override {
        mallard::set_quarantine(allocator_, bounds);
    }
    void expect_all_freed() const noexcept override { mallard::expect_all_freed(allocator_); }
    void expect_all_freed_at_end() noexcept override { mallard::expect_all_freed_at_end(allocator_); }

    void run_and_roll_back(const std::function<void()>& work) override {
        if constexpr (mallard::rewindable<A>) {
            const mallard::checkpoint scratch(allocator_);
            work();
        }
    }

    void rewind() override {
        if constexpr (mallard::rewindable<A>) {
            allocator_.rewind();
        }
    }

private:
    A allocator_;
};

template <class A, class... Args>
kind checked(const std::string& name, Args... args) {
    return {name, [=] { return std::make_unique<erased_subject<mallard::checked<A>>>(args...); }};
}

/// An allocator and the upstream that it owns.
template <class Below>
struct lower {
    Below below;
};
template <class Above, class Below>
class chain : lower<Below>, public mallard::checked<Above> {
public:
    chain() : mallard::checked<Above>(lower<Below>::below) {}
};

template <class Above, class Below>
kind checked_chain(const std::string& name) {
    return {name, [] { return std::make_unique<erased_subject<chain<Above, Below>>>(); }};
}

/// Block size of a fixed pool that fits every block of these tests and its guard zones.
constexpr mallard::block_size largest{std::size_t{1} << 17, 64};

using mallard::chunk_cache;

} // namespace

// The full product adds allocators with a lock, another chunk supply or another order of free blocks.
std::vector<kind> rewindable_kinds() {
    return {
#if MALLARD_FULL_PRODUCT
        checked<mallard::synchronized<mallard::monotonic<>>>("synchronized_monotonic"),
#endif
        checked<mallard::monotonic<>>("monotonic"),
        checked_chain<mallard::monotonic<mallard::multipool<>>, mallard::multipool<>>(
            "monotonic_over_multipool")};
}

std::vector<kind> expandable_kinds() {
    return {
#if MALLARD_FULL_PRODUCT
        checked_chain<mallard::heap<mallard::multipool<>>, mallard::multipool<>>("heap_over_multipool"),
#endif
        checked<mallard::heap<>>("heap")};
}

std::vector<kind> kinds() {
    std::vector<kind> all{
#if MALLARD_FULL_PRODUCT
        checked<mallard::multipool<chunk_cache, mallard::last_freed>>("multipool_last_freed"),
        checked<mallard::synchronized<mallard::multipool<>>>("synchronized_multipool"),
        checked<mallard::multipool<chunk_cache, mallard::first_freed, mallard::power_of_two_classes>>(
            "fast_fit"),
        checked<mallard::fixed_pool<mallard::single_arena<>>>("fixed_pool_in_one_chunk", largest,
                                                              std::size_t{32}),
        checked<mallard::synchronized<mallard::fixed_pool<>>>("synchronized_fixed_pool", largest),
        checked_chain<mallard::multipool<mallard::monotonic<>>, mallard::monotonic<>>(
            "multipool_over_monotonic"),
#endif
        checked<mallard::multipool<chunk_cache, mallard::first_freed>>("multipool_first_freed"),
        checked<mallard::concurrent_multipool<>>("concurrent_multipool"),
        checked<mallard::fixed_pool<>>("fixed_pool", largest),
        checked<mallard::fixed_pool<mallard::static_arena<32 * largest.bytes>, mallard::last_freed, largest>>(
            "fixed_pool_in_itself"),
        checked<mallard::small_object_pool<>>("small_object_pool"),
        checked<mallard::adaptive_pool<>>("adaptive_pool"),
        {"below_synchronized", [] {
             using shared = mallard::synchronized<mallard::checked<mallard::multipool<>>>;
             return std::make_unique<erased_subject<shared>>();
         }}};
    for (const auto& more : {rewindable_kinds(), expandable_kinds()}) {
        all.insert(all.end(), more.begin(), more.end());
    }
    return all;
}

std::string block::text() const {
    char address[32];
    std::snprintf(address, sizeof address, "%p", p);
    return std::string("block ") + address + " of " + std::to_string(bytes) + " bytes at alignment " +
           std::to_string(alignment);
}

[[gnu::noinline, gnu::no_sanitize_address]] void block::scribble(std::ptrdiff_t offset) const noexcept {
    volatile unsigned char& byte = *(static_cast<unsigned char*>(p) + offset);
    byte = byte ^ 0x5AU;
}

::testing::Matcher<const std::string&> report(const std::string& line, const std::source_location& place) {
    return ::testing::Eq("mallard: " + line + "\n    allocated at " + place.file_name() + ":" +
                         std::to_string(place.line()) + " in " + place.function_name() + "\n");
}

block of_every_allocator::allocate(std::size_t bytes, std::size_t alignment, std::source_location place) {
    const mallard::allocation_site site(place);
    return {subject_->allocate(bytes, alignment), bytes, alignment, place};
}

} // namespace reports
