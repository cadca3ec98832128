/* The commands, each in a file cmd_NAME.c. */
#ifndef LAKE_CLI_COMMANDS_H
#define LAKE_CLI_COMMANDS_H

#include "cli.h"

extern const cli_command cli_cmd_create;
extern const cli_command cli_cmd_append;
extern const cli_command cli_cmd_write_manifest;
extern const cli_command cli_cmd_write_manifest_list;
extern const cli_command cli_cmd_commit;
extern const cli_command cli_cmd_delete;
extern const cli_command cli_cmd_overwrite;
extern const cli_command cli_cmd_rebuild_stats;
extern const cli_command cli_cmd_replace;
extern const cli_command cli_cmd_properties;
extern const cli_command cli_cmd_alter;
extern const cli_command cli_cmd_refs;
extern const cli_command cli_cmd_rollback;
extern const cli_command cli_cmd_plan;
extern const cli_command cli_cmd_stats;
extern const cli_command cli_cmd_audit;
extern const cli_command cli_cmd_inspect;
extern const cli_command cli_cmd_dump;
extern const cli_command cli_cmd_estimate;
extern const cli_command cli_cmd_cache;
extern const cli_command cli_cmd_help;

/* What options of writing share (cmd_append.c). */
typedef struct cli_commit_args {
    int dry_run;
    const char *branch;
    cli_list summary;
} cli_commit_args;
#define CLI_COMMIT_OPTIONS(type, field)                                                                                \
    {"dry-run", 0, CLI_FLAG, offsetof(type, field.dry_run), NULL, "do everything but the commit, and leave no file"},  \
        {"branch", 0, CLI_TEXT, offsetof(type, field.branch), "NAME", "commit to this branch (default: main)"}, {      \
        "summary", 0, CLI_LIST, offsetof(type, field.summary), "K=V",                                                  \
            "one more member of the snapshot's summary; may be\nrepeated"                                              \
    }
/* The paths that an option names (@LIST or -); none if it is NULL. */
lake_status cli_files_option(const char *option, const char *list, cli_list *out, lake_error *err);
lake_status cli_commit_choice(const cli_commit_args *given, lake_commit_options *out, lake_error *err);
/* Every item is K=V with a name before the equals sign. */
lake_status cli_check_pairs(const char *option, const cli_list *pairs, lake_error *err);

/* An age in milliseconds: "7d", "12h", "30m", "10s", "5ms", "5"; NULL is 0 (cmd_refs.c). */
lake_status cli_age(const char *option, const char *text, int64_t *ms, lake_error *err);

/* Rows of `inspect` as JSON or as a table (rows.c). */
lake_status cli_rows_json(lake_rows *rows, lake_error *err);
lake_status cli_rows_text(lake_rows *rows, lake_error *err);
/* What `inspect WHAT` prints of the current state (cmd_properties.c). */
lake_status cli_show_rows(lake_table *table, const char *what, const char *format, lake_error *err);

/* Rows of a plan (plan_answers.c), as one JSON object or for people; the line about its limit, if it has one; */
lake_status cli_plan_count(lake_plan *plan, int json, lake_error *err);
void cli_plan_increment(const lake_plan *plan); /* the lines about its snapshots, if it is one */
void cli_plan_order(const lake_plan *plan); /* the line about its order, if it has one */
void cli_plan_limit(const lake_plan *plan);
void cli_plan_splits(const lake_plan *plan); /* the table of its scan tasks, if it is split */

/* Opens the plan of what the arguments name (plan_open.c); *table stays NULL for files and folders of files. */
typedef struct cli_plan_paths {
    const char *partition_types, *schema;
} cli_plan_paths;
/* Calls one of two functions: with the table that the only argument names (which the caller closes), or with files and
   folders. */
typedef struct cli_opener {
    lake_status (*table)(cli *c, void *user, lake_table *table, lake_error *err);
    lake_status (*paths)(
        cli *c, void *user, const char *const *paths, size_t n, const lake_listing_options *listing, lake_error *err);
    void *user;
} cli_opener;
lake_status cli_open_subject(cli *c, const cli_list *args, const cli_plan_paths *paths, const cli_opener *how,
    lake_table **table, lake_error *err);
lake_status cli_plan_open(cli *c, const cli_plan_paths *paths, const lake_plan_options *options, lake_table **table,
    lake_plan **plan, lake_error *err);

/* A plan for people (plan_text.c). */
/* What each part of the predicate drops alone (plan_leaves.c). */
void cli_plan_leaves(const lake_plan *plan);
/* A part of a predicate; of a long one its beginning and end. */
void cli_plan_add_sql(cli_text *t, lake_str sql);
lake_status cli_plan_text(lake_plan *plan, int explain, lake_error *err);

/* Estimates for people, and joins (estimate_text.c). */
void cli_estimate_text(const lake_estimate *estimate);
lake_status cli_join_print(
    lake_estimate *left, lake_estimate *right, const lake_join *join, int json, int files, lake_error *err);

#endif
