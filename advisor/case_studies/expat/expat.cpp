// Expat: each document is read by callbacks, with a new parser, which takes functions to allocate with.
#include "advisor/case_studies/program/build.hpp"
#include "advisor/case_studies/program/documents.hpp"
#include "advisor/case_studies/program/sized_blocks.hpp"

#include <expat.h>

namespace {

using case_studies::checksum;

void begin_element(void* sum, const XML_Char* name, const XML_Char** attributes) {
    static_cast<checksum*>(sum)->add(std::string_view(name));
    for (; *attributes != nullptr; ++attributes) {
        static_cast<checksum*>(sum)->add(std::string_view(*attributes));
    }
}

void end_element(void* sum, const XML_Char* name) {
    static_cast<checksum*>(sum)->add(std::string_view(name));
}

template <class Build>
XML_Parser make_parser() {
    if constexpr (std::is_same_v<Build, case_studies::before>) {
        return XML_ParserCreate(nullptr);
    } else {
        using blocks = case_studies::sized_blocks<Build>;
        static const XML_Memory_Handling_Suite memory{blocks::allocate, blocks::reallocate,
                                                      blocks::deallocate};
        return XML_ParserCreate_MM(nullptr, &memory, nullptr);
    }
}

template <class Build>
std::uint64_t read_in(std::string_view text) {
    checksum sum;
    XML_Parser parser = make_parser<Build>();
    XML_SetUserData(parser, &sum);
    XML_SetElementHandler(parser, begin_element, end_element);
    XML_Parse(parser, text.data(), static_cast<int>(text.size()), 1);
    XML_ParserFree(parser);
    if constexpr (!std::is_same_v<Build, case_studies::before>) {
        case_studies::end_of_scope(case_studies::sized_blocks<Build>::mechanism);
    }
    return sum.value();
}

[[gnu::noinline]] std::uint64_t handle(std::string_view text) {
    return read_in<case_studies::build>(text);
}

} // namespace

int main(int argc, char** argv) {
    return case_studies::over_documents(argc, argv, handle);
}
