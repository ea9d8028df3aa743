// Expat, whose hooks have no user pointer and no size: a pool for each thread that parses.
//
// The parser, its buffers and the names of the document end together, without XML_ParserFree().
#include <mallard/mallard.hpp>

#include <expat.h>

#include <iostream>
#include <string>

namespace {

struct document_memory : mallard::per_thread<document_memory, mallard::counted<mallard::multipool<>>> {};
using functions = mallard::c_functions<document_memory>;

void count(void* elements, const XML_Char*, const XML_Char**) {
    ++*static_cast<int*>(elements);
}

} // namespace

int main() {
    const XML_Memory_Handling_Suite hooks{functions::malloc, functions::realloc, functions::free};
    std::string document = "<squares>";
    for (int i = 0; i != 1000; ++i) {
        document += "<square value='" + std::to_string(i * i) + "'/>";
    }
    document += "</squares>";

    XML_Parser parser = XML_ParserCreate_MM(nullptr, &hooks, nullptr);
    int elements = 0;
    XML_SetUserData(parser, &elements);
    XML_SetStartElementHandler(parser, count);
    XML_Parse(parser, document.data(), static_cast<int>(document.size()), 1);
    std::cout << "The document has " << elements << " elements.\n";
    std::cout << (document_memory::pool().bytes_in_use() > 1000 ? "The parser lies in the pool.\n" : "");
    document_memory::pool().release();
    std::cout << document_memory::pool().bytes_in_use() << " bytes are left.\n";
}
