/* Stands in for functions of the public API that are still being written: the linker takes these only where the library
   has none. To be deleted when the last one is there. */
#include <stdio.h>

#include "lake/lake.h"

#define NOT_YET(name, ...)                                                                                             \
    __attribute__((weak)) lake_status name(__VA_ARGS__, lake_error *err) {                                             \
        lake_error_init(err);                                                                                          \
        err->status = LAKE_ERR_UNSUPPORTED;                                                                            \
        snprintf(err->message, sizeof err->message, "%s: is not written yet", #name);                                  \
        return err->status;                                                                                            \
    }
#define NOTHING(type, name, ...)                                                                                       \
    __attribute__((weak)) type name(__VA_ARGS__) {                                                                     \
        return (type)0;                                                                                                \
    }
#define NO_TEXT(name, ...)                                                                                             \
    __attribute__((weak)) lake_str name(__VA_ARGS__) {                                                                 \
        return (lake_str){0};                                                                                          \
    }
#define NO_OP(name, ...)                                                                                               \
    __attribute__((weak)) void name(__VA_ARGS__) {}

__attribute__((weak)) const char *lake_version(void) {
    return LAKE_VERSION;
}
NOT_YET(lake_session_open, const lake_session_options *options, lake_session **out)
NO_OP(lake_session_close, lake_session *session)
NOT_YET(lake_table_open, lake_session *session, const char *location, lake_table **out)
NO_OP(lake_table_close, lake_table *table)
NOTHING(int, lake_table_format_version, const lake_table *table)
NO_TEXT(lake_table_uuid, const lake_table *table)
NO_TEXT(lake_table_location, const lake_table *table)
NO_TEXT(lake_table_metadata_location, const lake_table *table)
NOT_YET(lake_inspect, lake_table *table, const char *what, const lake_snapshot_choice *choice, lake_rows **out)
NOT_YET(lake_dump, lake_session *session, const char *location, int indent, const lake_sink *sink)
NOTHING(size_t, lake_rows_width, const lake_rows *rows)
NO_TEXT(lake_rows_name, const lake_rows *rows, size_t column)
NOT_YET(lake_rows_next, lake_rows *rows, const lake_str **cells)
NO_OP(lake_rows_close, lake_rows *rows)
NOT_YET(
    lake_stats_open, lake_session *session, const char *location, const lake_stats_options *options, lake_stats **out)
NO_OP(lake_stats_close, lake_stats *stats)
NO_OP(lake_stats_file_of, const lake_stats *stats, lake_stats_file *out)
NO_OP(lake_stats_column_of, const lake_stats *stats, size_t index, lake_stats_column *out)
NOT_YET(lake_stats_write, const lake_stats *stats, const lake_sink *sink)
NOT_YET(lake_plan_open, lake_table *table, const lake_plan_options *options, lake_plan **out)
NO_OP(lake_plan_close, lake_plan *plan)
NOTHING(size_t, lake_plan_count, const lake_plan *plan)
NOTHING(const lake_scan_task *, lake_plan_task, const lake_plan *plan, size_t index)
NO_OP(lake_plan_counts_of, const lake_plan *plan, lake_plan_counts *out)
NOTHING(size_t, lake_plan_decision_count, const lake_plan *plan)
NOT_YET(lake_plan_decision, lake_plan *plan, size_t index, lake_decision *out)
NOTHING(size_t, lake_plan_unused, const lake_plan *plan, size_t index, lake_str *sql, lake_str *reason)
NOT_YET(lake_plan_write, lake_plan *plan, lake_plan_format format, int ignore_deletes, const lake_sink *sink)
NOT_YET(lake_manifest_write, lake_session *session, const lake_manifest_options *options, const lake_sink *sink)
NOT_YET(lake_list_write, lake_session *session, const lake_list_options *options, const lake_sink *sink)
NOT_YET(lake_table_create, lake_session *session, const char *location, const lake_create_options *options,
    lake_table **out)
NOT_YET(lake_table_append, lake_table *table, const lake_manifest_options *files, const lake_commit_options *options,
    const lake_sink *sink)
NOT_YET(lake_table_commit, lake_table *table, const char *const *manifests, size_t nmanifests,
    const lake_commit_options *options, const lake_sink *sink)
NOTHING(const lake_delete_file *, lake_plan_delete, const lake_plan *plan, size_t index)
NOTHING(size_t, lake_plan_delete_count, const lake_plan *plan)
NOT_YET(lake_plan_residual, lake_plan *plan, size_t task, lake_str *json, int *exact, lake_str *sql)
