#include "trace/encode/context_coder.hpp"

#include <limits>

namespace mallard::trace {

std::size_t context_encoder::encode(const context_tree& tree, std::size_t most) {
    columns_.clear();
    const context_id begin = next_;
    for (; next_ != tree.size(); ++next_) {
        const bool begins_run = tree.begins_run(next_);
        if (begins_run && next_ - begin >= most) {
            break;
        }
        columns_[context_column::parent].number(begins_run ? next_ - tree.parent(next_) : 0);
        // Addresses are numbered in the order of the nodes.
        const address_id address = tree.address_number(next_);
        if (address != next_address_) {
            columns_[context_column::address].number(address);
            continue;
        }
        ++next_address_;
        columns_[context_column::address].number(0);
        columns_[context_column::fresh].signed_number(
            static_cast<std::int64_t>(tree.address_at(address) - tree.address_at(address - 1)));
    }
    prologue_.clear();
    columns_.write_lengths(prologue_);
    return next_ - begin;
}

void context_encoder::skip(const context_tree& tree) noexcept {
    next_ = static_cast<context_id>(tree.size());
    next_address_ = static_cast<address_id>(tree.addresses());
}

void decode_contexts(std::span<const std::byte> body, std::size_t count, context_tree& tree) {
    byte_reader reader(body);
    column_reader<context_column> columns;
    columns.begin(reader);
    const std::size_t end = tree.size() + count;
    if (end > std::numeric_limits<context_id>::max()) {
        throw bad_bytes("the frame has too many contexts");
    }
    tree.end_run();
    for (bool begins_run = true; tree.size() != end; begins_run = false) {
        const auto node = static_cast<context_id>(tree.size());
        std::uint64_t distance = columns[context_column::parent].number();
        if (distance != 0) {
            tree.end_run();
        } else if (begins_run) {
            throw bad_bytes("a context has an unknown parent");
        } else {
            distance = 1;
        }
        if (distance > node) {
            throw bad_bytes("a context has an unknown parent");
        }
        std::uint64_t address = columns[context_column::address].number();
        if (address == 0) {
            const std::uint64_t last = tree.address_at(static_cast<address_id>(tree.addresses() - 1));
            address = tree.add_address(
                last + static_cast<std::uint64_t>(columns[context_column::fresh].signed_number()));
        } else if (address >= tree.addresses()) {
            throw bad_bytes("a context has an unknown address");
        }
        tree.append(static_cast<context_id>(node - distance), static_cast<address_id>(address));
    }
    tree.end_run();
    columns.end();
}

} // namespace mallard::trace
