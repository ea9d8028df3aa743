/* Printed by `cmark --version` only. */
#pragma once

#define CMARK_VERSION 0
#define CMARK_VERSION_STRING "Debian's"
