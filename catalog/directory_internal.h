/* Private to catalog/: the search for a directory's current metadata file. */
#ifndef LAKE_CATALOG_DIRECTORY_INTERNAL_H
#define LAKE_CATALOG_DIRECTORY_INTERNAL_H

#include "catalog/directory.h"

typedef enum lake_name_form {
    LAKE_NAME_V, /* v3.metadata.json, v3.gz.metadata.json, … */
    LAKE_NAME_UUID, /* 00003-….metadata.json: a metastore's */
    LAKE_NAME_UNNUMBERED, /* some other metadata file */
    LAKE_NAME_OTHER
} lake_name_form;

typedef struct lake_directory_search {
    const lake_store *store;
    lake_arena *arena;
    lake_str directory;
    lake_str found; /* the file */
    int64_t version;
    bool hinted; /* the version hint led to it */
    lake_str *ties; /* names of one number, when a metastore's files have no hint */
    size_t nties;
} lake_directory_search;

/* The form of a file's name, and its number (-1: none). */
lake_name_form lake_metadata_name_parse(lake_str name, int64_t *version);
LAKE_CHECK_RESULT lake_status lake_directory_search_run(lake_directory_search *s, lake_error *err);

#endif
