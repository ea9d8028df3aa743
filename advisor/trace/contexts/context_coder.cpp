#include "trace/contexts/context_coder.hpp"

#include <limits>

namespace mallard::trace {

namespace {

constexpr std::uint32_t table_places = 1U << 15;

constexpr std::uint32_t mix(std::uint32_t first, std::uint32_t second, std::uint32_t third) noexcept {
    const std::uint32_t mixed = ((first * 0x9e3779b1U ^ second) * 0x85ebca6bU ^ third) * 0xc2b2ae35U;
    return mixed >> 17;
}

} // namespace

context_model::context_model()
    : addresses_(1), first_links_(1), links_(1), ends_(1), ups_(table_places), node_addresses_(stack_ends),
      last_child_(stack_ends) {
    for (auto& table : tables_) {
        table.resize(table_places);
    }
}

void context_model::ask(const context_tree& tree, context_id parent) {
    parent_ = parent;
    const address_id inner = node_addresses_[parent];
    const address_id outer = node_addresses_[tree[parent].parent];
    const address_id sibling = last_child_[parent];
    places_ = {mix(inner, outer, sibling), mix(inner, 0, sibling), mix(inner, 0, 0)};
}

std::uint32_t context_model::up_place() const noexcept {
    return mix(node_addresses_.back(), node_addresses_[parent_], 1);
}

address_id context_model::ranked(std::uint64_t rank) const noexcept {
    std::uint32_t at = first_links_[node_addresses_[parent_]];
    for (; rank != 0 && at != 0; --rank) {
        at = links_[at].next;
    }
    return links_[at].address;
}

unsigned context_model::find_rank(address_id address) const noexcept {
    unsigned rank = 0;
    for (std::uint32_t at = first_links_[node_addresses_[parent_]]; rank < most_rank;
         ++rank, at = links_[at].next) {
        if (at == 0) {
            return most_rank;
        }
        if (links_[at].address == address) {
            break;
        }
    }
    return rank;
}

address_id context_model::add(std::uint64_t address) {
    const auto id = static_cast<address_id>(addresses_.size());
    addresses_.push_back(address);
    first_links_.push_back(0);
    ends_.push_back(false);
    return id;
}

void context_model::pass(address_id address) {
    for (unsigned index = 0; index < expected_addresses; ++index) {
        tables_[index][places_[index]] = address;
    }
    // The list may be long, and its tail is useless. So an address far behind is put in front again.
    std::uint32_t& first = first_links_[node_addresses_[parent_]];
    std::uint32_t* at = &first;
    for (unsigned rank = 0; rank < most_rank && *at != 0 && links_[*at].address != address; ++rank) {
        at = &links_[*at].next;
    }
    if (*at != 0 && links_[*at].address == address) {
        const std::uint32_t match = *at;
        *at = links_[match].next;
        links_[match].next = first;
        first = match;
    } else {
        links_.push_back({address, first});
        first = static_cast<std::uint32_t>(links_.size() - 1);
    }
    last_child_[parent_] = address;
    node_addresses_.push_back(address);
    last_child_.push_back(0);
}

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

void context_encoder::encode_address(const context_tree& tree, context_id node, bool ends) {
    model_.ask(tree, tree[node].parent);
    address_id address = 0;
    const std::uint8_t method = find_address(tree[node].address, address);
    columns_[context_column::way].byte(method | (ends != model_.expects_end(address) ? unexpected_end : 0));
    model_.pass(address);
    model_.pass_end(ends);
}

/// Returns: the method by which the address was found.
std::uint8_t context_encoder::find_address(std::uint64_t address, address_id& result) {
    address_id& place = addresses_.find(mixed_hash(address, 0),
                                        [&](address_id id) { return model_.address_at(id) == address; });
    if (place == 0) {
        columns_.number(context_column::fresh,
                        zigzag(static_cast<std::int64_t>(address - model_.last_added())));
        result = place = model_.add(address);
        addresses_.make_room(model_.size(),
                             [this](address_id id) { return mixed_hash(model_.address_at(id), 0); });
        return static_cast<std::uint8_t>(address_way::fresh);
    }
    result = place;
    for (std::uint8_t index = 0; index < context_model::expected_addresses; ++index) {
        if (model_.expected(index) == result) {
            return index;
        }
    }
    if (const unsigned rank = model_.find_rank(result); rank < context_model::most_rank) {
        columns_.number(context_column::rank, rank);
        return static_cast<std::uint8_t>(address_way::ranked);
    }
    columns_.number(context_column::known, model_.size() - result);
    return static_cast<std::uint8_t>(address_way::known);
}

void context_decoder::decode(std::span<const std::byte> plain, std::size_t count, known_contexts& contexts) {
    byte_reader from(plain);
    columns_.begin(from);
    context_tree& tree = contexts.tree;
    const std::size_t end = tree.size() + count;
    if (end > std::numeric_limits<context_id>::max()) {
        throw bad_bytes("the frame has too many contexts");
    }
    while (tree.size() != end) {
        context_id parent = decode_parent(tree);
        for (bool ends = false; !ends;) {
            if (tree.size() == end) {
                throw bad_bytes("the frame has more contexts than declared");
            }
            model_.ask(tree, parent);
            const std::uint8_t method = columns_[context_column::way].byte();
            const address_id address = decode_address(method & (unexpected_end - 1));
            ends = model_.expects_end(address) != ((method & unexpected_end) != 0);
            model_.pass(address);
            model_.pass_end(ends);
            parent = tree.append(parent, model_.address_at(address));
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
        throw bad_bytes("a context has an unknown parent");
    }
    model_.pass_up(up);
    if (up == far_up) {
        const std::uint64_t distance = columns_.number(context_column::parent);
        if (distance == 0 || distance > next) {
            throw bad_bytes("a context has an unknown parent");
        }
        return static_cast<context_id>(next - distance);
    }
    context_id above = next - 1;
    for (unsigned remaining = up; remaining != 1; --remaining) {
        above = tree[above].parent;
    }
    return above;
}

address_id context_decoder::decode_address(std::uint8_t method) {
    address_id result = 0;
    switch (static_cast<address_way>(method)) {
    case address_way::ranked: {
        const std::uint64_t rank = columns_.number(context_column::rank);
        result = rank < context_model::most_rank ? model_.ranked(rank) : 0;
        break;
    }
    case address_way::known: {
        const std::uint64_t distance = columns_.number(context_column::known);
        result =
            distance != 0 && distance < model_.size() ? static_cast<address_id>(model_.size() - distance) : 0;
        break;
    }
    case address_way::fresh:
        result = model_.add(model_.last_added() +
                            static_cast<std::uint64_t>(from_zigzag(columns_.number(context_column::fresh))));
        break;
    default:
        result = method < context_model::expected_addresses ? model_.expected(method) : 0;
    }
    if (result == 0) {
        throw bad_bytes("a context has an unknown address");
    }
    return result;
}

} // namespace mallard::trace
