/// The shadow of an allocator: addresses and contents of its live blocks.
#pragma once

#include "model/operation.hpp"

#include <mallard/core/alignment.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <unordered_map>

namespace model {

enum class fault : std::uint8_t { none, misaligned, overlapping, corrupted, lost, complaint };

class shadow_map {
public:
    struct block {
        std::byte* p;
        operation request;
    };

    /// Effects: records the block and fills it with a pattern derived from its id.
    [[nodiscard]] fault add(void* memory, const operation& op) {
        auto* const p = static_cast<std::byte*>(memory);
        if (p == nullptr || !mallard::core::is_aligned(p, op.alignment)) {
            return fault::misaligned;
        }
        // Empty blocks have distinct addresses too.
        const std::size_t bytes = std::max<std::size_t>(op.bytes, 1);
        const auto next = by_address_.lower_bound(address(p));
        const bool reaches_next = next != by_address_.end() && address(p) + bytes > next->first;
        const bool lies_in_previous = next != by_address_.begin() && std::prev(next)->second > address(p);
        if (reaches_next || lies_in_previous) {
            return fault::overlapping;
        }
        by_address_.emplace(address(p), address(p) + bytes);
        by_id_.emplace(op.id, block{p, op});
        for (std::size_t i = 0; i < op.bytes; ++i) {
            p[i] = pattern(op.id, i);
        }
        return fault::none;
    }

    /// Returns: the live block with the id, or null.
    [[nodiscard]] const block* find(std::size_t id) const {
        const auto match = by_id_.find(id);
        return match == by_id_.end() ? nullptr : &match->second;
    }

    [[nodiscard]] static fault look_at(const block& b) {
        for (std::size_t i = 0; i < b.request.bytes; ++i) {
            if (b.p[i] != pattern(b.request.id, i)) {
                return fault::corrupted;
            }
        }
        return fault::none;
    }

    [[nodiscard]] fault look_at_all() const {
        const bool intact = std::all_of(by_id_.begin(), by_id_.end(),
                                        [](const auto& b) { return look_at(b.second) == fault::none; });
        return intact ? fault::none : fault::corrupted;
    }

    void remove(std::size_t id) {
        by_address_.erase(address(by_id_.at(id).p));
        by_id_.erase(id);
    }

    void clear() {
        by_address_.clear();
        by_id_.clear();
    }

    [[nodiscard]] const std::unordered_map<std::size_t, block>& blocks() const { return by_id_; }

private:
    static std::uintptr_t address(const void* p) { return reinterpret_cast<std::uintptr_t>(p); }

    static std::byte pattern(std::size_t id, std::size_t i) {
        return static_cast<std::byte>(id * 151 + i * 7 + 1);
    }

    std::map<std::uintptr_t, std::uintptr_t> by_address_; // begin -> end
    std::unordered_map<std::size_t, block> by_id_;
};

} // namespace model
