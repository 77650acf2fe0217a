#include "am/index/failpoint.hpp"

#ifdef SIMHASH_FAILPOINTS

#include "pg/server/compat.hpp"

extern "C" {
#include "access/xlog.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "utils/fmgrprotos.h"
#include "utils/guc.h"
}

#include <csignal>

namespace simhash
{

namespace
{

enum class Action { none, error, cancel, kill, lose, stop, wait, hold };

struct Armed {
    Action action;
    int nth;
    int passed;
};

constexpr int kPoints = static_cast<int>(Failpoint::count);
constexpr int kAdvisoryKey = 21320; // the page id of simhash indexes

const char *const point_names[] = {
    "insert",         "insert-group",     "leaf-found",    "leaf-pinned",   "page-extended", "unused-found",
    "split-extended", "split-downlink",   "split-done",    "root-extended", "root-grown",    "segment-full",
    "segment-wanted", "segment-extended", "store-insert",  "list-searched", "list-page",     "old-versions",
    "vacuum-slots",   "list-left",        "list-read",     "vacuum-page",   "vacuum-again",  "vacuum-delete",
    "unlink-found",   "unlink-page",      "unlink-right",  "unlink-parent", "unlink-log",    "unlink-done",
    "layout-step",    "layout-chosen",    "build-scanned", "build-tree",    "build-batch",   "build-root",
    "scan-leaf",      "scan-pin",         "side-counted",  "check-page"};
static_assert(lengthof(point_names) == kPoints);
const char *const action_names[] = {"none", "error", "cancel", "kill", "lose", "stop", "wait", "hold"};

Armed armed[kPoints];
char *setting;

int number_of(const char *const *names, int count, const char *name, size_t length)
{
    for (int i = 0; i < count; i++) {
        if (std::strlen(names[i]) == length && std::strncmp(names[i], name, length) == 0)
            return i;
    }
    return -1;
}

// Parses the setting's value. Returns false if it is malformed.
bool parse(const char *text, Armed *points)
{
    for (int i = 0; i < kPoints; i++)
        points[i] = {Action::none, 0, 0};
    for (text += std::strspn(text, ", "); *text != '\0'; text += std::strspn(text, ", ")) {
        size_t length = std::strcspn(text, "=, ");
        int at = number_of(point_names, kPoints, text, length);
        text += length;
        if (at < 0 || *text++ != '=')
            return false;
        length = std::strcspn(text, ":, ");
        int action = number_of(action_names, static_cast<int>(lengthof(action_names)), text, length);
        text += length;
        if (action < 0)
            return false;
        int nth = 1;
        if (*text == ':') {
            char *end;
            nth = static_cast<int>(std::strtol(text + 1, &end, 10));
            if (end == text + 1 || nth < 0)
                return false;
            text = end;
        }
        points[at] = {static_cast<Action>(action), nth, 0};
    }
    return true;
}

bool check_setting(char **value, void **, GucSource)
{
    Armed points[kPoints];
    if (parse(*value, points))
        return true;
    GUC_check_errdetail("Expected a list of name=action[:nth].");
    return false;
}

void assign_setting(const char *value, void *) { parse(value, armed); }

// Flushes everything that has been logged. Otherwise the records before the crash would be lost with the WAL
// buffers.
void flush_wal()
{
    if (XactLastRecEnd != 0)
        XLogFlush(XactLastRecEnd);
}

void hold(const char *name)
{
    for (int tries = 0; tries < 6000; tries++) {
        Datum taken = DirectFunctionCall2(pg_try_advisory_lock_shared_int4, Int32GetDatum(kAdvisoryKey),
                                          Int32GetDatum(1));
        if (DatumGetBool(taken)) {
            DirectFunctionCall2(pg_advisory_unlock_shared_int4, Int32GetDatum(kAdvisoryKey),
                                Int32GetDatum(1));
            return;
        }
        pg_usleep(10000);
    }
    elog(ERROR, "failpoint %s was held for a minute", name);
}

} // namespace

void failpoint(Failpoint at)
{
    Armed *point = &armed[static_cast<int>(at)];
    if (point->action == Action::none || (point->passed++, point->nth != 0 && point->passed != point->nth))
        return;
    const char *name = point_names[static_cast<int>(at)];
    switch (point->action) {
    case Action::error:
        elog(ERROR, "failpoint %s", name);
        break;
    case Action::cancel:
        kill(MyProcPid, SIGINT);
        break;
    case Action::kill:
        flush_wal();
        elog(LOG, "failpoint %s", name);
        kill(MyProcPid, SIGKILL);
        break;
    case Action::lose:
        elog(LOG, "failpoint %s", name);
        kill(MyProcPid, SIGKILL);
        break;
    case Action::stop:
        flush_wal();
        elog(LOG, "failpoint %s", name);
        kill(PostmasterPid, SIGQUIT);
        for (;;)
            pg_usleep(100000); // until the postmaster's SIGQUIT ends the process
    case Action::wait:
        if (InterruptHoldoffCount != 0)
            elog(ERROR, "failpoint %s cannot wait here: a page is locked", name);
        DirectFunctionCall2(pg_advisory_lock_shared_int4, Int32GetDatum(kAdvisoryKey), Int32GetDatum(0));
        DirectFunctionCall2(pg_advisory_unlock_shared_int4, Int32GetDatum(kAdvisoryKey), Int32GetDatum(0));
        break;
    case Action::hold:
        elog(LOG, "failpoint %s", name);
        hold(name);
        break;
    case Action::none:
        break;
    }
}

void define_failpoints()
{
    DefineCustomStringVariable("simhash.failpoint", "Moments at which something happens, for tests.",
                               "A list of name=action[:nth]. Only builds for tests have this.", &setting, "",
                               PGC_SUSET, GUC_NOT_IN_SAMPLE, check_setting, assign_setting, nullptr);
}

} // namespace simhash

#endif
