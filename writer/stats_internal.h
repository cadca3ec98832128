/* Between stats_api.c and stats_many.c. */
#ifndef LAKE_WRITER_STATS_INTERNAL_H
#define LAKE_WRITER_STATS_INTERNAL_H

#include "lake/stats.h"

/* lake_stats_open with so many threads instead of the session's. */
LAKE_CHECK_RESULT lake_status lake_stats_open_with(lake_session *session, const char *location,
    const lake_stats_options *options, unsigned threads, lake_stats **out, lake_error *err);

#endif
