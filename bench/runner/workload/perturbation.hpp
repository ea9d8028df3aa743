/// A previously used heap: chunks of random sizes, some of which were freed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <utility>
#include <vector>

namespace bench {

/// The chunks that are not freed live as long as the object. `Source` is the global allocator, except in tests.
template <class Source>
class perturbation {
public:
    static constexpr std::size_t largest_bytes = 1024;

    /// Effects: allocates `chunks` chunks of 1 to 1024 bytes and touches them; then frees `freed` of them,
    /// drawn at random.
    /// Requires: `freed <= chunks`.
    /// Throws: std::bad_alloc.
    perturbation(Source& heap, std::size_t chunks, std::size_t freed, std::uint64_t seed) : heap_(heap) {
        std::mt19937_64 engine(seed);
        live_chunks_.reserve(chunks);
        for (std::size_t i = 0; i != chunks; ++i) {
            const std::size_t bytes = 1 + engine() % largest_bytes;
            auto* p = static_cast<std::byte*>(heap_.allocate(bytes, alignment));
            *p = std::byte{1};
            live_chunks_.push_back({p, bytes});
        }
        for (std::size_t i = 0; i != freed; ++i) {
            std::swap(live_chunks_[engine() % live_chunks_.size()], live_chunks_.back());
            free_last();
        }
    }

    perturbation(const perturbation&) = delete;
    perturbation& operator=(const perturbation&) = delete;

    ~perturbation() {
        while (!live_chunks_.empty()) {
            free_last();
        }
    }

    [[nodiscard]] std::size_t live_chunks() const noexcept { return live_chunks_.size(); }

private:
    struct chunk {
        std::byte* p;
        std::size_t bytes;
    };
    static constexpr std::size_t alignment = alignof(std::max_align_t);

    void free_last() noexcept {
        heap_.deallocate(live_chunks_.back().p, live_chunks_.back().bytes, alignment);
        live_chunks_.pop_back();
    }

    Source& heap_;
    std::vector<chunk> live_chunks_;
};

} // namespace bench
