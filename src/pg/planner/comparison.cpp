#include "pg/planner/comparison.hpp"

extern "C" {
#include "utils/lsyscache.h"
}

namespace simhash
{

const Comparison *find_comparison(Oid function, const char *type)
{
    const char *name = get_func_name(function);
    const Size length = std::strlen(type);

    if (name == nullptr || std::strncmp(name, type, length) != 0 || name[length] != '_')
        return nullptr;
    for (const Comparison &comparison : kComparisons)
        if (std::strcmp(comparison.suffix, name + length + 1) == 0)
            return &comparison;
    return nullptr;
}

} // namespace simhash
