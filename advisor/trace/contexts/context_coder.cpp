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

context_model::context_model() : first_links_(1), links_(1), ends_(1), ups_(table_places) {
    for (std::uint32_t root = 0; root < stack_ends; ++root) {
        last_child_.push_back(0);
    }
    for (auto& table : tables_) {
        table.resize(table_places);
    }
}

void context_model::ask(const context_tree& tree, context_id parent) {
    // Most nodes are children of the last one.
    const bool continues = parent + std::size_t{1} == last_child_.size();
    const address_id outer = continues ? parent_address_ : tree.address_number(tree.parent(parent));
    const address_id inner = continues ? last_address_ : tree.address_number(parent);
    const address_id sibling = last_child_[parent];
    parent_ = parent;
    parent_address_ = inner;
    places_ = {mix(inner, outer, sibling), mix(inner, 0, sibling), mix(inner, 0, 0)};
}

std::uint32_t context_model::up_place() const noexcept {
    return mix(last_address_, parent_address_, 1);
}

address_id context_model::ranked(std::uint64_t rank) const noexcept {
    std::uint32_t at = first_links_[parent_address_];
    for (; rank != 0 && at != 0; --rank) {
        at = links_[at].next;
    }
    return links_[at].address;
}

unsigned context_model::find_rank(address_id address) const noexcept {
    unsigned rank = 0;
    for (std::uint32_t at = first_links_[parent_address_]; rank < most_rank; ++rank, at = links_[at].next) {
        if (at == 0) {
            return most_rank;
        }
        if (links_[at].address == address) {
            break;
        }
    }
    return rank;
}

address_id context_model::add() {
    const auto id = static_cast<address_id>(first_links_.size());
    first_links_.push_back(0);
    ends_.push_back(false);
    return id;
}

void context_model::pass(address_id address) {
    for (unsigned index = 0; index < expected_addresses; ++index) {
        tables_[index][places_[index]] = address;
    }
    // The list may be long, and its tail is useless. So an address far behind is put in front again.
    std::uint32_t& first = first_links_[parent_address_];
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
    last_child_.set(parent_, address);
    last_address_ = address;
    last_child_.push_back(0);
}

std::size_t context_encoder::encode(const context_tree& tree, std::size_t most) {
    columns_.clear();
    const context_id begin = next_;
    while (next_ != tree.size()) {
        const context_id leaf = tree.last_node(tree.run(next_));
        if (next_ != begin && leaf - begin >= most) {
            break;
        }
        encode_parent(tree, next_);
        for (; next_ <= leaf; ++next_) {
            encode_address(tree, next_, next_ == leaf);
        }
    }
    columns_.finish();
    prologue_.clear();
    columns_.write_lengths(prologue_);
    return next_ - begin;
}

void context_encoder::encode_parent(const context_tree& tree, context_id first) {
    const context_id parent = tree.parent(first);
    context_id above = first - 1;
    std::uint8_t up = 1;
    while (above != parent && up != far_up) {
        up = above < stack_ends ? far_up : static_cast<std::uint8_t>(up + 1);
        above = tree.parent(above);
    }
    columns_[context_column::up].byte(up == model_.expected_up() ? 0 : up);
    model_.pass_up(up);
    if (up == far_up) {
        columns_.number(context_column::parent, first - parent);
    }
}

void context_encoder::encode_address(const context_tree& tree, context_id node, bool ends) {
    model_.ask(tree, tree.parent(node));
    const address_id address = tree.address_number(node);
    const std::uint8_t method = find_address(tree, address);
    columns_[context_column::way].byte(method | (ends != model_.expects_end(address) ? unexpected_end : 0));
    model_.pass(address);
    model_.pass_end(ends);
}

/// Returns: the method by which the address was found.
std::uint8_t context_encoder::find_address(const context_tree& tree, address_id address) {
    // Addresses are numbered in the order of the nodes.
    if (address == model_.size()) {
        model_.add();
        columns_.number(context_column::fresh, zigzag(static_cast<std::int64_t>(
                                                   tree.address_at(address) - tree.address_at(address - 1))));
        return static_cast<std::uint8_t>(address_way::fresh);
    }
    for (std::uint8_t index = 0; index < context_model::expected_addresses; ++index) {
        if (model_.expected(index) == address) {
            return index;
        }
    }
    if (const unsigned rank = model_.find_rank(address); rank < context_model::most_rank) {
        columns_.number(context_column::rank, rank);
        return static_cast<std::uint8_t>(address_way::ranked);
    }
    columns_.number(context_column::known, model_.size() - address);
    return static_cast<std::uint8_t>(address_way::known);
}

void context_decoder::decode(std::span<const std::byte> plain, std::size_t count, context_tree& tree) {
    byte_reader from(plain);
    columns_.begin(from);
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
            const address_id address = decode_address(method & (unexpected_end - 1), tree);
            ends = model_.expects_end(address) != ((method & unexpected_end) != 0);
            model_.pass(address);
            model_.pass_end(ends);
            parent = tree.append(parent, address);
        }
        tree.end_run();
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
        above = tree.parent(above);
    }
    return above;
}

address_id context_decoder::decode_address(std::uint8_t method, context_tree& tree) {
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
    case address_way::fresh: {
        const std::uint64_t last = tree.address_at(static_cast<address_id>(model_.size() - 1));
        tree.add_address(last +
                         static_cast<std::uint64_t>(from_zigzag(columns_.number(context_column::fresh))));
        result = model_.add();
        break;
    }
    default:
        result = method < context_model::expected_addresses ? model_.expected(method) : 0;
    }
    if (result == 0) {
        throw bad_bytes("a context has an unknown address");
    }
    return result;
}

} // namespace mallard::trace
