// The library's entry.
#include "pg/compat.hpp"

#include "pg/settings.hpp"

#pragma GCC visibility push(default)
extern "C" {
PG_MODULE_MAGIC;
void _PG_init(void);
}
#pragma GCC visibility pop

void _PG_init(void) { simhash::define_settings(); }
