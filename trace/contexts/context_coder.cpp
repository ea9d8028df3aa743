#include "trace/contexts/context_coder.hpp"

#include <limits>

namespace mallard::trace {

context_encoder::context_encoder() {
    addresses_.begin(1024);
}

std::size_t context_encoder::encode(const known_contexts& contexts, std::size_t most) {
    columns_.clear();
    const context_id begin = next_;
    while (next_ != contexts.tree.size()) {
        const context_id leaf = contexts.leaves[next_leaf_];
        if (next_ != begin && leaf - begin >= most) {
            break;
        }
        encode_parent(contexts.tree, next_);
        for (; next_ <= leaf; ++next_) {
            encode_address(contexts.tree, next_, next_ == leaf);
        }
        ++next_leaf_;
    }
    columns_.finish();
    prologue_.clear();
    columns_.write_lengths(prologue_);
    return next_ - begin;
}

void context_encoder::encode_parent(const context_tree& tree, context_id first) {
    const context_id parent = tree[first].parent;
    context_id above = first - 1;
    std::uint8_t up = 1;
    while (above != parent && up != far_up) {
        up = tree[above].depth == 0 ? far_up : static_cast<std::uint8_t>(up + 1);
        above = tree[above].parent;
    }
    columns_[context_column::up].byte(up == model_.expected_up() ? 0 : up);
    model_.pass_up(up);
    if (up == far_up) {
        columns_.number(context_column::parent, first - parent);
    }
}

void context_encoder::encode_address(const context_tree& tree, context_id which, bool ends) {
    model_.ask(tree, tree[which].parent);
    address_id found = 0;
    const std::uint8_t way = find_address(tree[which].address, found);
    columns_[context_column::way].byte(way | (ends != model_.expects_end(found) ? other_end : 0));
    model_.pass(found);
    model_.pass_end(ends);
}

/// Returns: the way in which the address was found.
std::uint8_t context_encoder::find_address(std::uint64_t address, address_id& which) {
    address_id& place = addresses_.find(mixed_hash(address, 0),
                                        [&](address_id of) { return model_.address_of(of) == address; });
    if (place == 0) {
        columns_.number(context_column::fresh,
                        zigzag(static_cast<std::int64_t>(address - model_.last_added())));
        which = place = model_.add(address);
        addresses_.make_room(model_.size(),
                             [this](address_id of) { return mixed_hash(model_.address_of(of), 0); });
        return static_cast<std::uint8_t>(address_way::fresh);
    }
    which = place;
    for (std::uint8_t each = 0; each < context_model::expected_addresses; ++each) {
        if (model_.expected(each) == which) {
            return each;
        }
    }
    if (const unsigned rank = model_.rank_of(which); rank < context_model::most_rank) {
        columns_.number(context_column::rank, rank);
        return static_cast<std::uint8_t>(address_way::ranked);
    }
    columns_.number(context_column::known, model_.size() - which);
    return static_cast<std::uint8_t>(address_way::known);
}

void context_decoder::decode(std::span<const std::byte> plain, std::size_t count, known_contexts& contexts) {
    byte_reader from(plain);
    columns_.begin(from);
    context_tree& tree = contexts.tree;
    const std::size_t end = tree.size() + count;
    if (end > std::numeric_limits<context_id>::max()) {
        throw bad_bytes("it has more contexts than there are numbers");
    }
    while (tree.size() != end) {
        context_id parent = decode_parent(tree);
        for (bool ends = false; !ends;) {
            if (tree.size() == end) {
                throw bad_bytes("it has more contexts than it says");
            }
            model_.ask(tree, parent);
            const std::uint8_t way = columns_[context_column::way].byte();
            const address_id found = decode_address(way & (other_end - 1));
            ends = model_.expects_end(found) != ((way & other_end) != 0);
            model_.pass(found);
            model_.pass_end(ends);
            parent = tree.append(parent, model_.address_of(found));
        }
        contexts.leaves.push_back(parent);
    }
    columns_.end();
}

context_id context_decoder::decode_parent(const context_tree& tree) {
    const auto next = static_cast<context_id>(tree.size());
    std::uint8_t up = columns_[context_column::up].byte();
    if (up == 0) {
        up = model_.expected_up();
    }
    if (up == 0) {
        throw bad_bytes("a context in it has a parent that is not there");
    }
    model_.pass_up(up);
    if (up == far_up) {
        const std::uint64_t distance = columns_.number(context_column::parent);
        if (distance == 0 || distance > next) {
            throw bad_bytes("a context in it has a parent that is not there");
        }
        return static_cast<context_id>(next - distance);
    }
    context_id above = next - 1;
    for (unsigned left = up; left != 1; --left) {
        above = tree[above].parent;
    }
    return above;
}

address_id context_decoder::decode_address(std::uint8_t way) {
    address_id which = 0;
    switch (static_cast<address_way>(way)) {
    case address_way::ranked: {
        const std::uint64_t rank = columns_.number(context_column::rank);
        which = rank < context_model::most_rank ? model_.ranked(rank) : 0;
        break;
    }
    case address_way::known: {
        const std::uint64_t since = columns_.number(context_column::known);
        which = since != 0 && since < model_.size() ? static_cast<address_id>(model_.size() - since) : 0;
        break;
    }
    case address_way::fresh:
        which = model_.add(model_.last_added() +
                           static_cast<std::uint64_t>(from_zigzag(columns_.number(context_column::fresh))));
        break;
    default:
        which = way < context_model::expected_addresses ? model_.expected(way) : 0;
    }
    if (which == 0) {
        throw bad_bytes("a context in it has an address that is not there");
    }
    return which;
}

} // namespace mallard::trace
