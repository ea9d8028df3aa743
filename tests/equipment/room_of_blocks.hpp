/// The blocks of a heap in one room of memory, for tests of impl/space/coalescing_space.hpp, impl/space/growing_space.hpp
/// and impl/space/quick_fit.hpp.
#pragma once

#include <mallard/impl/space/heap_block.hpp>
#include <mallard/impl/space/heap_sanity.hpp>
#include <mallard/impl/space/quick_fit.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace equipment {

template <class Links>
class room_of_blocks : public mallard::space::quick_fit<Links> {
    using base = mallard::space::quick_fit<Links>;

public:
    using links = Links;
    static constexpr std::size_t granule = mallard::space::heap_block::granule_bytes;

    /// The bytes that the blocks share at first, words included; the room is never longer.
    static constexpr std::size_t bytes = 65536;

    room_of_blocks() { base::add_room(begin(), bytes + base::end_bytes); }

    [[nodiscard]] std::byte* begin() const noexcept {
        return memory_.get() + mallard::fundamental_alignment - mallard::space::heap_block::tag_bytes;
    }
    [[nodiscard]] std::byte* end() const noexcept { return begin() + room_bytes_; }

    /// Effects: makes the room shorter by cut_room().
    /// Returns: the bytes by which it is shorter.
    std::size_t cut_by(std::size_t most) noexcept {
        const std::size_t removed_bytes = base::cut_room(end(), most);
        room_bytes_ -= removed_bytes;
        return removed_bytes;
    }

    /// Effects: makes the room longer again by extend_room().
    void extend_by(std::size_t more) noexcept {
        base::extend_room(end(), more);
        room_bytes_ += more;
    }

    /// Returns: a block for these bytes of payload, or null.
    [[nodiscard]] mallard::space::heap_block take_for(std::size_t payload) noexcept {
        return base::take(base::block_bytes_for(payload));
    }

    /// Returns: the fault, or "".
    [[nodiscard]] std::string wrong() const { return sanity().sound() ? "" : sanity().defect; }

    [[nodiscard]] mallard::heap_sanity sanity() const {
        mallard::space::sanity_check<Links> check(*this);
        const auto owns = [this](const std::byte* at) {
            const std::size_t offset =
                reinterpret_cast<std::uintptr_t>(at) - reinterpret_cast<std::uintptr_t>(begin());
            return offset <= room_bytes_ - mallard::space::heap_block::least_bytes && offset % granule == 0;
        };
        check.look_at_room(begin(), end(), owns);
        check.look_at_quick_lists(owns);
        return check.result();
    }

    /// Returns: the bytes of each free block, in the order of their addresses; the remainder is one.
    [[nodiscard]] std::vector<std::size_t> free_bytes() const {
        std::vector<std::size_t> all;
        for (mallard::space::heap_block b(begin()); b.begin() != end();) {
            const bool is_remainder = b.begin() == base::remainder_begin();
            const std::size_t block_bytes = base::credible_bytes(b, end());
            if (block_bytes == 0) {
                all.push_back(0); // expected by no test: the walk ends at a wrong word
                break;
            }
            if (is_remainder || !b.is(mallard::space::heap_block::in_use)) {
                all.push_back(block_bytes);
            }
            b = b.behind(block_bytes);
        }
        return all;
    }

private:
    std::size_t room_bytes_ = bytes;
    /// Zeros: the words of a former room could still make sense.
    std::unique_ptr<std::byte[]> memory_{new std::byte[bytes + 64]{}};
};

} // namespace equipment
