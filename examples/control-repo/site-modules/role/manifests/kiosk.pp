# What a machine with the role "kiosk" is.
class role::kiosk {
  include profile::base
  include profile::monitoring
  include profile::kiosk
}
