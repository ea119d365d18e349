# Keeps the clock right.
#
# @param servers Where the time comes from, the best first.
# @param service The service that keeps the clock.
class timesync (
  Array[String[1]] $servers,
  String[1] $service,
  String[1] $package,
  String[1] $config_file,
  String[1] $header,
  String[1] $log_dir,
  Hash[String[1], Scalar] $daemon_options = {},
) {
}
