/// Orders as messages of protocol buffers: drawn at random, and read into a checksum.
#pragma once

#include "advisor/case_studies/program/checksum.hpp"

#include <protobuf/order.pb.h>

#include <random>
#include <string>
#include <string_view>

namespace case_studies {

inline checksum order_checksum(const Order& order) {
    checksum sum;
    sum.add(std::int64_t{order.id()});
    sum.add(std::string_view(order.customer()));
    sum.add(std::string_view(order.address().city()));
    for (const Item& item : order.items()) {
        sum.add(std::string_view(item.name()));
        sum.add(std::int64_t{item.price()});
        for (const std::string& label : item.labels()) {
            sum.add(std::string_view(label));
        }
    }
    return sum;
}

inline std::string text(std::mt19937& draw, unsigned least, unsigned most) {
    std::string letters(least + draw() % (most - least + 1), ' ');
    for (char& letter : letters) {
        letter = static_cast<char>('a' + draw() % 26);
    }
    return letters;
}

/// Returns: an order with one to `2 * items` items.
inline Order make_order(std::mt19937& draw, unsigned long items) {
    Order order;
    order.set_id(draw());
    order.set_customer(text(draw, 8, 40));
    order.mutable_address()->set_street(text(draw, 8, 40));
    order.mutable_address()->set_city(text(draw, 4, 20));
    for (unsigned long count = 1 + draw() % (2 * items); count != 0; --count) {
        Item& item = *order.add_items();
        item.set_name(text(draw, 8, 60));
        item.set_price(draw());
        for (unsigned long label = draw() % 4; label != 0; --label) {
            item.add_labels(text(draw, 4, 24));
        }
    }
    return order;
}

} // namespace case_studies
