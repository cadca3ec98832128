/* Findings of an audit, kept and sorted: cmd_audit.c and audit_text.c. */
#ifndef LAKE_CLI_AUDIT_TEXT_H
#define LAKE_CLI_AUDIT_TEXT_H

#include "cli.h"

/* A finding as it will be printed. */
typedef struct cli_finding {
    int rank;
    uint64_t order[3];
    char *text;
} cli_finding;

/* Findings of one verdict, kind and column. */
typedef struct cli_finding_group {
    lake_audit_verdict verdict;
    int rank;
    char *kind, *column, *example;
    uint64_t order[3]; /* of the example */
    int64_t n, lost_rows;
    int uncounted; /* some lost rows were not counted */
} cli_finding_group;

typedef struct cli_findings {
    int json;
    cli_finding *items;
    size_t n, room, left_out;
    cli_finding_group *groups;
    size_t ngroups, groups_room;
} cli_findings;

/* For lake_audit_options.on_finding, with a cli_findings. */
lake_status cli_findings_add(void *user, const lake_audit_finding *finding, lake_error *err);
void cli_findings_sort(cli_findings *findings);
/* Wrong ones one by one (at most `limit`, 0: all), then a line for each kind. */
void cli_findings_print(const cli_findings *findings, size_t limit);
void cli_findings_free(cli_findings *findings);

#endif
