# What a machine with the role "database" is.
class role::database {
  include profile::base
  include profile::monitoring
  include profile::database
}
