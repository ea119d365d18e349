# The booking site.
#
# @param vhosts The sites to serve, by name.
class profile::web (
  Hash[String[1], Hash] $vhosts,
  Integer[1] $worker_processes,
  String[1] $log_format,
) {
}
