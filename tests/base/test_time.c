/* The calendar, against a day-by-day walk through eight centuries and fixed points of ISO 8601. */
#include "support.h"

Test(time, agrees_with_counting_days_one_by_one) {
    int64_t year = 1599, days = lake_days_from_civil(1599, 1, 1);
    int month = 1, day = 1;
    while (year < 2401) {
        cr_assert_eq(lake_days_from_civil(year, month, day), days);
        lake_civil c = lake_civil_from_days(days);
        cr_assert(c.year == year && c.month == month && c.day == day, "day %ld", (long)days);
        days++;
        if (++day > lake_days_in_month(year, month)) {
            day = 1;
            if (++month > 12) {
                month = 1;
                year++;
            }
        }
    }
}

Test(time, fixed_points) {
    cr_assert_eq(lake_days_from_civil(1970, 1, 1), 0);
    cr_assert_eq(lake_days_from_civil(1969, 12, 31), -1);
    cr_assert_eq(lake_days_from_civil(2017, 11, 16), 17486); /* spec.md, Appendix B */
    cr_assert_eq(lake_days_from_civil(1, 1, 1), -719162);
    cr_assert_eq(lake_days_from_civil(9999, 12, 31), 2932896);
    cr_assert_eq(lake_days_from_civil(0, 3, 1), -719468);
    lake_civil c = lake_civil_from_days(-784353015833L); /* far beyond int32 days */
    cr_assert_eq(lake_days_from_civil(c.year, c.month, c.day), -784353015833L);
    cr_assert_eq(lake_days_in_month(1900, 2), 28);
    cr_assert_eq(lake_days_in_month(2000, 2), 29);
    cr_assert_eq(lake_days_in_month(2001, 13), 0);
}
