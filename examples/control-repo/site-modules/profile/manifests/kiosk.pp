# A browser that shows nothing but the ticket shop.
class profile::kiosk (
  String[1] $start_url,
  Array[String[2]] $languages,
  Integer[1] $idle_minutes = 5,
) {
}
