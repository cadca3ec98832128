/* Deletion vectors (puffin-spec.md, "deletion-vector-v1 blob type"; spec.md, "Deletion Vectors"): place and length as
   the Puffin footer has them, every byte of the blob, and how many positions it holds. */
#include "format/deletion_vector.h"
#include "writer/audit_internal.h"

enum { LARGEST = 1 << 28 }; /* bytes of one vector */

static lake_status say(audit_file *f, const char *recorded, const char *found, const char *effect, lake_error *err) {
    const audit_simple s = {
        .kind = "deletion-vector", .rank = 1, .recorded = recorded, .found = found, .effect = effect};
    return audit_say(f->a, &f->place, &s, err);
}

static const char comes_back[] = "the vector cannot be used: deleted rows come back, or reading fails";

static lake_status check_blob(audit_file *f, lake_file *file, lake_error *err) {
    const lake_entry *e = f->entry;
    lake_roaring_info info;
    lake_error why;
    uint8_t *data = lake_arena_alloc(f->arena, (size_t)e->content_size + 1);
    if (!data)
        return lake_fail_memory(err);
    lake_error_init(&why);
    lake_status status = lake_file_read(file, (uint64_t)e->content_offset, data, (size_t)e->content_size, &why);
    if (status != LAKE_OK)
        return audit_say_unreadable(f->a, &f->place, status, &why, err);
    status = lake_deletion_vector_read((lake_bytes){data, (size_t)e->content_size}, NULL, &info, &why);
    if (status != LAKE_OK)
        return say(f, NULL, why.message, comes_back, err);
    pthread_mutex_lock(&f->a->lock);
    f->a->counts.checked_files++;
    f->a->counts.checked_bytes += e->content_size;
    pthread_mutex_unlock(&f->a->lock);
    if (info.cardinality == (uint64_t)e->record_count)
        return LAKE_OK;
    return audit_say_counts(f->a, &f->place, "vector-cardinality", "", e->record_count, (int64_t)info.cardinality,
        "counts of rows behind deletes are wrong", err);
}

static lake_status check_footer(audit_file *f, lake_file *file, lake_error *err) {
    const lake_entry *e = f->entry;
    audit_blob blob;
    bool found;
    lake_error why;
    lake_error_init(&why);
    lake_status status = audit_footer_blob(f, file, &blob, &found, &why);
    if (status == LAKE_ERR_MALFORMED)
        return say(f, NULL, why.message, "readers that look for the blob in the footer fail", err);
    if (status != LAKE_OK)
        return audit_say_unreadable(f->a, &f->place, status, &why, err);
    if (!found)
        return say(f, "content_offset", "no blob begins there", comes_back, err);
    if (!blob.vector)
        return say(f, "a deletion vector", "a blob of another type", comes_back, err);
    if (blob.has_length && blob.length != e->content_size)
        LAKE_TRY(audit_say_counts(f->a, &f->place, "deletion-vector", "content_size_in_bytes", e->content_size,
            blob.length, comes_back, err));
    if (blob.of.ptr && e->referenced_data_file.ptr && !lake_str_eq(blob.of, e->referenced_data_file))
        return say(f, "referenced_data_file", "the footer names another", "rows of another file are deleted", err);
    return LAKE_OK;
}

lake_status audit_vector(audit_file *f, lake_error *err) {
    const lake_entry *e = f->entry;
    lake_file *file;
    lake_error why;
    lake_error_init(&why);
    lake_status status = lake_store_open(&f->a->session->store, e->file_path, &file, &why);
    if (status != LAKE_OK)
        return audit_say_unreadable(f->a, &f->place, status, &why, err);
    uint64_t size = lake_file_size(file);
    status = check_footer(f, file, err);
    if (status == LAKE_OK &&
        (e->content_offset < 0 || !(e->has & LAKE_HAS_CONTENT_SIZE) || e->content_size < 0 ||
            (uint64_t)e->content_offset > size || (uint64_t)e->content_size > size - (uint64_t)e->content_offset))
        status = say(f, "content_offset and content_size_in_bytes", "beyond the file's end", comes_back, err);
    else if (status == LAKE_OK && e->content_size > LARGEST)
        status = say(f, "content_size_in_bytes", "more than a deletion vector can have", comes_back, err);
    else if (status == LAKE_OK)
        status = check_blob(f, file, err);
    lake_file_close(file);
    return status;
}
