# What a machine with the role "web" is.
class role::web {
  include profile::base
  include profile::monitoring
  include profile::web
}
