/* stub */
#include "planner/estimate.h"

lake_status est_footer(lake_estimate *e, est_view *view, lake_error *err) {
    return LAKE_OK;
}
