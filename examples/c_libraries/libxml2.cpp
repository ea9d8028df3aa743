// libxml2, whose hooks have no user pointer and want a strdup(): a pool for the program.
//
// The library keeps global tables, so its documents are freed one by one, and the pool is not released before
// xmlCleanupParser().
#include <mallard/mallard.hpp>

#include <libxml/parser.h>
#include <libxml/tree.h>
#include <libxml/xmlmemory.h>

#include <iostream>
#include <string>

namespace {

struct document_memory : mallard::single_threaded<document_memory, mallard::counted<mallard::multipool<>>> {};
using functions = mallard::c_functions<document_memory>;

} // namespace

int main() {
    xmlMemSetup(functions::free, functions::malloc, functions::realloc, functions::strdup);
    std::string text = "<squares>";
    for (int i = 0; i != 1000; ++i) {
        text += "<square value='" + std::to_string(i * i) + "'/>";
    }
    text += "</squares>";

    xmlDocPtr document = xmlReadMemory(text.data(), static_cast<int>(text.size()), "squares.xml", nullptr, 0);
    std::cout << "The document has " << xmlChildElementCount(xmlDocGetRootElement(document)) << " squares.\n";
    const std::size_t blocks = document_memory::pool().counts().allocations;
    std::cout << (blocks > 3000 ? "Each node came from the pool.\n" : "");
    xmlFreeDoc(document);
    xmlCleanupParser();
    std::cout << document_memory::pool().bytes_in_use() << " bytes are left.\n";
}
