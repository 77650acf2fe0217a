// The library's entry.
#include "pg/server/compat.hpp"

#include "am/tree/failpoint.hpp"
#include "pg/server/settings.hpp"

#pragma GCC visibility push(default)
extern "C" {
PG_MODULE_MAGIC;
void _PG_init(void);
}
#pragma GCC visibility pop

void _PG_init(void)
{
    simhash::define_failpoints(); // first: the other reserves the names that begin like ours
    simhash::define_settings();
}
