# What every machine has.
#
# @param accounts People who may log in, by name.
# @param firewall Open services, by protocol.
# @param trusted_networks The networks that may reach every port.
class profile::base (
  String $motd,
  Array[String[1]] $packages,
  String[1] $admin_group,
  Hash[String[1], Hash] $accounts,
  Hash[String[1], Array[String[1]]] $firewall,
  Array[String[1]] $trusted_networks,
  Hash[String[1], Numeric] $sysctl = {},
  Hash[String[1], String] $repositories = {},
) {
  include timesync
}
