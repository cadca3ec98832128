/* What delete files claim about the data file they are for, and the columns that they compare (spec.md, "Position
   Delete Files", "Equality Delete Files"). */
#include "writer/audit_internal.h"

lake_status audit_position_deletes(audit_file *f, lake_error *err) {
    const lake_entry *e = f->entry;
    const lake_column_stats *path = lake_file_stats_column(&f->stats, LAKE_DELETE_FILE_PATH_ID);
    audit_draft *d;
    if (!path || !lake_file_stats_column(&f->stats, LAKE_DELETE_POS_ID)) {
        LAKE_TRY(audit_file_draft(f, LAKE_AUDIT_WRONG, "delete-columns", NULL, &d, err));
        audit_draft_fails(d);
        d->f.found = LAKE_STR("the columns file_path and pos are not both there");
        d->f.effect = LAKE_STR("what it deletes cannot be told");
        return LAKE_OK;
    }
    if (!e->referenced_data_file.ptr || !path->has_min || !path->has_max || path->min_loose || path->max_loose)
        return LAKE_OK;
    lake_bytes said = lake_bytes_of(e->referenced_data_file);
    bool low = lake_bytes_cmp(path->min.b, said) == 0, high = lake_bytes_cmp(path->max.b, said) == 0;
    if (low && high)
        return LAKE_OK;
    LAKE_TRY(audit_file_draft(f, LAKE_AUDIT_WRONG, "referenced-file", NULL, &d, err));
    audit_draft_fails(d);
    d->f.recorded = e->referenced_data_file;
    d->f.found = lake_text_of(low ? path->max.b : path->min.b);
    d->f.effect = LAKE_STR("its deletes are not applied to other files: deleted rows come back");
    return LAKE_OK;
}

lake_status audit_equality_deletes(audit_file *f, lake_error *err) {
    for (size_t i = 0; i < f->entry->nequality_ids; i++) {
        int32_t id = f->entry->equality_ids[i];
        audit_draft *d;
        if (f->a->columns || lake_file_stats_column(&f->stats, id))
            continue;
        if (!lake_schema_field(f->a->exact.schema, id))
            continue; /* dropped since */
        LAKE_TRY(audit_file_draft(f, LAKE_AUDIT_WRONG, "equality-ids", NULL, &d, err));
        audit_draft_fails(d);
        LAKE_TRY(audit_text(f->arena, &d->f.recorded, err, "column %d", (int)id));
        d->f.found = LAKE_STR("not in the file");
        d->f.effect = LAKE_STR("what it deletes cannot be told");
    }
    return LAKE_OK;
}
