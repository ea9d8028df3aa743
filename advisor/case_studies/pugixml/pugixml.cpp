// pugixml: each document is parsed, read and discarded. It has pages of 32 KiB, and replaceable functions to allocate
// them.
#include "advisor/case_studies/program/build.hpp"
#include "advisor/case_studies/program/documents.hpp"
#include "advisor/case_studies/program/sized_blocks.hpp"

#include <pugixml.hpp>

namespace {

void add(case_studies::checksum& sum, const pugi::xml_node& node) {
    sum.add(std::string_view(node.name()));
    for (const pugi::xml_attribute& attribute : node.attributes()) {
        sum.add(std::string_view(attribute.value()));
    }
    for (const pugi::xml_node& child : node.children()) {
        add(sum, child);
    }
}

std::uint64_t read(std::string_view text) {
    pugi::xml_document document;
    document.load_buffer(text.data(), text.size());
    case_studies::checksum sum;
    add(sum, document);
    return sum.value();
}

template <class Build>
std::uint64_t read_in(std::string_view text) {
    const std::uint64_t sum = read(text);
    if constexpr (!std::is_same_v<Build, case_studies::before>) {
        case_studies::end_of_scope(case_studies::sized_blocks<Build>::mechanism);
    }
    return sum;
}

[[gnu::noinline]] std::uint64_t handle(std::string_view text) {
    return read_in<case_studies::build>(text);
}

template <class Build>
void bind() {
    if constexpr (!std::is_same_v<Build, case_studies::before>) {
        using blocks = case_studies::sized_blocks<Build>;
        pugi::set_memory_management_functions(blocks::allocate, blocks::deallocate);
    }
}

} // namespace

int main(int argc, char** argv) {
    bind<case_studies::build>();
    return case_studies::over_documents(argc, argv, handle);
}
