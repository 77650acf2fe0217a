// The first argument of functions that compute what another library does: the name of a profile.
#pragma once

#include "pg/server/compat.hpp"
#include "pg/types/text_reader.hpp"

extern "C" {
#include "lib/stringinfo.h"
#include "utils/builtins.h"
}

namespace simhash
{

// A table of profiles in src/profiles.
template <typename Profile> struct ProfileTable {
    const char *kind; // what an error message calls its profiles
    const Profile *profiles;
    std::size_t count;
    const Profile *(*find)(const char *name, std::size_t length);
};

// Returns the profile that argument 0 names.
template <typename Profile>
const Profile &named_profile(FunctionCallInfo fcinfo, const ProfileTable<Profile> &table)
{
    text *name = PG_GETARG_TEXT_PP(0);
    const Profile *profile = table.find(VARDATA_ANY(name), VARSIZE_ANY_EXHDR(name));
    if (profile != nullptr)
        return *profile;
    StringInfoData names;
    initStringInfo(&names);
    for (std::size_t i = 0; i < table.count; i++)
        appendStringInfo(&names, "%s%s", i == 0 ? "" : ", ", table.profiles[i].name);
    ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
            errmsg("unrecognized %s profile: \"%s\"", table.kind, quoted(text_to_cstring(name))),
            errhint("Profiles are %s.", names.data));
    pg_unreachable();
}

} // namespace simhash
