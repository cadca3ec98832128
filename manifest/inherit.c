/* Inheritance (spec.md, "Sequence Number Inheritance", "First Row ID Inheritance", "Manifest Entry Fields"; cases H6,
 * H9). */
#include "manifest/inherit.h"

void lake_inherit_init(lake_inherit *in, const lake_manifest_file *line, bool all_zero) {
    *in = (lake_inherit){.content = -1, .all_zero = all_zero};
    if (!line)
        return;
    in->has_line = true;
    in->content = (int8_t)line->content;
    in->has_snapshot_id = line->has & LAKE_HAS_SNAPSHOT_ID;
    in->snapshot_id = line->added_snapshot_id;
    in->sequence_number = line->sequence_number;
    in->has_row_id = (line->has & LAKE_HAS_FIRST_ROW_ID) && line->content == 0;
    in->next_row_id = line->first_row_id;
}

static lake_status check_content(const lake_inherit *in, const lake_entry *e, lake_error *err) {
    if (in->content < 0 || (e->content != LAKE_CONTENT_DATA) == (in->content != 0))
        return LAKE_OK;
    return lake_fail(err, LAKE_ERR_MALFORMED, "content is %u (%s) in a manifest of %s", e->content,
        e->content ? "deletes" : "data", in->content ? "deletes" : "data");
}

/* ADDED inherits. Others must tell; of those only a live file's data sequence number is needed to plan. */
static lake_status inherit_sequence(const lake_inherit *in, lake_entry *e, lake_error *err) {
    const uint32_t both = LAKE_HAS_SEQUENCE_NUMBER | LAKE_HAS_FILE_SEQUENCE_NUMBER;
    bool zero = in->all_zero, from_line = in->has_line && (e->status == LAKE_ENTRY_ADDED || in->sequence_number == 0);
    if (zero || from_line) {
        int64_t v = zero ? 0 : in->sequence_number;
        if (!(e->has & LAKE_HAS_SEQUENCE_NUMBER))
            e->sequence_number = v;
        if (!(e->has & LAKE_HAS_FILE_SEQUENCE_NUMBER))
            e->file_sequence_number = v;
        e->has |= both;
    }
    if (in->has_line && e->status == LAKE_ENTRY_EXISTING && !(e->has & LAKE_HAS_SEQUENCE_NUMBER))
        return lake_fail(err, LAKE_ERR_MALFORMED,
            "%.*s: sequence_number is null in an entry of status EXISTING, which does not inherit it",
            LAKE_ARG(e->file_path));
    return LAKE_OK;
}

/* Files that were there before the table had row ids get theirs, too; deleted ones are not counted by those who reserve
   the ids. */
static void inherit_row_id(lake_inherit *in, lake_entry *e) {
    if (!in->has_row_id || e->content != LAKE_CONTENT_DATA || e->status == LAKE_ENTRY_DELETED ||
        (e->has & LAKE_HAS_FIRST_ROW_ID))
        return;
    e->first_row_id = in->next_row_id;
    e->has |= LAKE_HAS_FIRST_ROW_ID;
    if (e->record_count > 0 && __builtin_add_overflow(in->next_row_id, e->record_count, &in->next_row_id))
        in->next_row_id = INT64_MAX;
}

lake_status lake_inherit_apply(lake_inherit *in, lake_entry *e, lake_error *err) {
    LAKE_TRY(check_content(in, e, err));
    if (!(e->has & LAKE_HAS_SNAPSHOT_ID) && in->has_snapshot_id) {
        e->snapshot_id = in->snapshot_id;
        e->has |= LAKE_HAS_SNAPSHOT_ID;
    }
    LAKE_TRY(inherit_sequence(in, e, err));
    inherit_row_id(in, e);
    return LAKE_OK;
}
