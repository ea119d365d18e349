//! Converts dates of the Gregorian calendar to numbers of days and back, unbounded in both directions, as Ruby's `Time` does.

/// Days from 1970-01-01 to a date. The day may be past the end of its month.
pub fn days(year: i64, month: i64, day: i64) -> i128 {
    let [year, month, day] = [year, month, day].map(i128::from);
    // If years start in March, their leap day is at the end.
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

/// The year, month and day of the date that is this many days after 1970-01-01.
pub fn date(days: i128) -> (i128, i128, i128) {
    // There are 719,468 days from 1 March of the year 0 to 1970-01-01, and 146,097 in each era of 400 years.
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    (year_of_era + era * 400 + i128::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_day_of_five_centuries_is_found_again() {
        for number in -100_000..100_000 {
            let (year, month, day) = date(number);
            let [year, month, day] = [year, month, day].map(|it| i64::try_from(it).expect("small"));
            assert_eq!(days(year, month, day), number);
        }
        assert_eq!(date(0), (1970, 1, 1));
        assert_eq!(date(11_016), (2000, 2, 29));
    }
}
