// The library's entry point.
#include "pg/server/compat.hpp"

#include "am/fingerprints/fingerprint_meta.hpp"
#include "am/index/failpoint.hpp"
#include "am/index/kind.hpp"
#include "am/joins/joins.hpp"
#include "am/search/search.hpp"
#include "am/signatures/signature_meta.hpp"
#include "pg/planner/index_order.hpp"
#include "pg/server/settings.hpp"

#pragma GCC visibility push(default)
extern "C" {
PG_MODULE_MAGIC;
}
#pragma GCC visibility pop

void _PG_init(void)
{
    simhash::define_failpoints(); // first, because define_settings reserves the prefix
    simhash::define_settings();
    // No other file knows both kinds of indexes.
    simhash::define_kind(&simhash::kFingerprints);
    simhash::define_kind(&simhash::kSignatures);
    simhash::install_index_orders();
    simhash::install_order_paths();
    simhash::install_joins();
    simhash::install_neighbors();
}
