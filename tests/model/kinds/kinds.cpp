#include "model/kinds.hpp"

#include "model/kinds/add.hpp"

#include <ostream>

namespace model {

const std::vector<kind>& kinds() {
    static const kind_list all = [] {
        kind_list k;
        add_heaps(k);
        add_monotonics(k);
        add_multipools(k);
        add_pools(k);
        add_shared(k);
        add_upstreams(k);
        return k;
    }();
    return all;
}

std::string test_name(const kind& k) {
    return k.allocator + "_" + k.adaptor + "_" + k.binding;
}

std::ostream& operator<<(std::ostream& out, const kind& k) {
    return out << k.name();
}

} // namespace model
