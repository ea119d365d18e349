# Where the machine reports to.
class profile::monitoring (
  String[1] $server,
  Sensitive[String[1]] $api_token,
  Hash[String[1], String] $labels = {},
) {
}
