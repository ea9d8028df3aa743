/* What configure finds on Debian; the sources of xmlwf include it. */
#define HAVE_UNISTD_H 1
#define HAVE_SYS_STAT_H 1
#define HAVE_SYS_TYPES_H 1
#define HAVE_FCNTL_H 1
#define HAVE_MMAP 1
#define XML_CONTEXT_BYTES 1024
