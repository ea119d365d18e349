# Every machine says its role in its certificate.
node default {
  include "role::${trusted['extensions']['pp_role']}"
}
