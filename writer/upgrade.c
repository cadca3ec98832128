/* A table of a higher format version (spec.md, Appendix E, "Format version changes", and "Table Metadata Fields").
   Files that are there stay as they are: readers take what an older manifest lacks from its version. */
#include "writer/commit_internal.h"
#include "writer/document.h"
#include "writer/properties.h"

/* v1 may have only `schema` and `partition-spec`, which later versions have no more. */
static bool leave_v1(lake_arena *arena, lake_json *doc, const lake_metadata *base) {
    if (!lake_document_own_schemas(arena, doc, base))
        return false;
    if (!lake_json_find(doc, "partition-specs")) {
        lake_json *specs = lake_json_new(arena, LAKE_JSON_ARRAY);
        if (!specs || !lake_json_push(arena, specs, lake_spec_write(arena, base->spec)) ||
            !lake_json_set(arena, doc, "partition-specs", specs) ||
            !lake_document_set_i64(arena, doc, "default-spec-id", base->spec->id))
            return false;
    }
    if (!lake_json_find(doc, "sort-orders")) {
        const lake_sort_order unsorted = {0};
        lake_json *orders = lake_json_new(arena, LAKE_JSON_ARRAY);
        if (!orders || !lake_json_push(arena, orders, lake_sort_order_write(arena, &unsorted)) ||
            !lake_json_set(arena, doc, "sort-orders", orders) ||
            !lake_document_set_i64(arena, doc, "default-sort-order-id", 0))
            return false;
    }
    lake_json_remove(doc, "schema");
    lake_json_remove(doc, "partition-spec");
    return lake_document_set_i64(arena, doc, "last-partition-id", base->last_partition_id) &&
        lake_document_set_i64(arena, doc, "last-sequence-number", 0);
}

static lake_status check(const lake_metadata *base, int32_t version, lake_error *err) {
    if (version < base->format_version)
        return lake_fail(err, LAKE_ERR_USAGE, "the table is of format version %d, and there is no way back to %d",
            (int)base->format_version, (int)version);
    for (size_t i = 0; base->format_version == 1 && version > 1 && i < base->nsnapshots; i++)
        if (!base->snapshots[i].manifest_list.ptr)
            return lake_fail(err, LAKE_ERR_UNSUPPORTED,
                "snapshot %lld has no manifest list but names manifests, which only format version 1 allows",
                (long long)base->snapshots[i].id);
    return LAKE_OK;
}

lake_status lake_document_upgrade(
    lake_arena *arena, lake_json *doc, const lake_metadata *base, int32_t version, lake_error *err) {
    char uuid[37];
    LAKE_TRY(check(base, version, err));
    if (version == base->format_version)
        return LAKE_OK;
    if (!lake_json_find(doc, "table-uuid")) {
        LAKE_TRY(lake_uuid_draw(uuid, err));
        if (!lake_document_set_str(arena, doc, "table-uuid", lake_str_of(uuid)))
            return lake_fail_memory(err);
    }
    bool done = (base->format_version > 1 || leave_v1(arena, doc, base)) &&
        (version < 3 || lake_document_set_i64(arena, doc, "next-row-id", 0)) &&
        lake_document_set_i64(arena, doc, "format-version", version);
    return done ? LAKE_OK : lake_fail_memory(err);
}
