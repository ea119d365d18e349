//! The structured facts that replaced Facter's legacy facts.

use std::collections::HashMap;
use std::sync::LazyLock;

/// The structured fact that has the value of the legacy fact `name`, without `facts.`.
pub fn modern_name(name: &str) -> Option<String> {
    if let Some(modern) = BY_NAME.get(name) {
        return Some((*modern).to_owned());
    }
    of_interface(name).or_else(|| of_numbered(name))
}

/// The same for legacy facts without a part of a name in theirs.
pub(super) fn modern_name_of_whole(name: &str) -> Option<&'static str> {
    BY_NAME.get(name).copied()
}

/// The structured fact that has what the legacy fact `name` has, but in another form: a hash in place of names with commas between
/// them, for example.
pub fn other_form(name: &str) -> Option<&'static str> {
    OTHER_FORMS.iter().find(|(legacy, _)| *legacy == name).map(|(_, modern)| *modern)
}

const OTHER_FORMS: [(&str, &str); 5] = [
    ("blockdevices", "disks"),
    ("dhcp_servers", "networking.dhcp"),
    ("interfaces", "networking.interfaces"),
    ("xendomains", "xen.domains"),
    ("zones", "solaris_zones.zones"),
];

/// `ipaddress_eth0` and the like. Facter replaced special characters of an interface's name by `_`, so the real name may
/// differ.
fn of_interface(name: &str) -> Option<String> {
    let (prefix, member) = INTERFACE.iter().find(|(prefix, _)| name.starts_with(prefix))?;
    let interface = &name[prefix.len()..];
    (!interface.is_empty()).then(|| format!("networking.interfaces.{interface}.{member}"))
}

/// `processor0`, `blockdevice_sda_size` and the like.
fn of_numbered(name: &str) -> Option<String> {
    if let Some(number) = name.strip_prefix("processor")
        && !number.is_empty()
        && number.bytes().all(|byte| byte.is_ascii_digit())
    {
        return Some(format!("processors.models.{number}"));
    }
    let (device, member) = name.strip_prefix("blockdevice_")?.rsplit_once('_')?;
    let member = match member {
        "size" => "size_bytes",
        "vendor" | "model" => member,
        _ => return None,
    };
    Some(format!("disks.{device}.{member}"))
}

const INTERFACE: [(&str, &str); 8] = [
    ("ipaddress6_", "ip6"),
    ("ipaddress_", "ip"),
    ("macaddress_", "mac"),
    ("mtu_", "mtu"),
    ("netmask6_", "netmask6"),
    ("netmask_", "netmask"),
    ("network6_", "network6"),
    ("network_", "network"),
];

/// [`NAMES`] by legacy name. Every text with a variable asks.
static BY_NAME: LazyLock<HashMap<&str, &str, foldhash::fast::RandomState>> =
    LazyLock::new(|| NAMES.into_iter().collect());

const NAMES: [(&str, &str); 71] = [
    ("architecture", "os.architecture"),
    ("augeasversion", "augeas.version"),
    ("bios_release_date", "dmi.bios.release_date"),
    ("bios_vendor", "dmi.bios.vendor"),
    ("bios_version", "dmi.bios.version"),
    ("boardassettag", "dmi.board.asset_tag"),
    ("boardmanufacturer", "dmi.board.manufacturer"),
    ("boardproductname", "dmi.board.product"),
    ("boardserialnumber", "dmi.board.serial_number"),
    ("chassisassettag", "dmi.chassis.asset_tag"),
    ("chassistype", "dmi.chassis.type"),
    ("domain", "networking.domain"),
    ("fqdn", "networking.fqdn"),
    ("gid", "identity.group"),
    ("hardwareisa", "processors.isa"),
    ("hardwaremodel", "os.hardware"),
    ("hostname", "networking.hostname"),
    ("id", "identity.user"),
    ("ipaddress", "networking.ip"),
    ("ipaddress6", "networking.ip6"),
    ("lsbdistcodename", "os.distro.codename"),
    ("lsbdistdescription", "os.distro.description"),
    ("lsbdistid", "os.distro.id"),
    ("lsbdistrelease", "os.distro.release.full"),
    ("lsbmajdistrelease", "os.distro.release.major"),
    ("lsbminordistrelease", "os.distro.release.minor"),
    ("lsbrelease", "os.distro.release.specification"),
    ("macaddress", "networking.mac"),
    ("macosx_buildversion", "os.macosx.build"),
    ("macosx_productname", "os.macosx.product"),
    ("macosx_productversion", "os.macosx.version.full"),
    ("manufacturer", "dmi.manufacturer"),
    ("memoryfree", "memory.system.available"),
    ("memorysize", "memory.system.total"),
    ("netmask", "networking.netmask"),
    ("netmask6", "networking.netmask6"),
    ("network", "networking.network"),
    ("network6", "networking.network6"),
    ("operatingsystem", "os.name"),
    ("operatingsystemmajrelease", "os.release.major"),
    ("operatingsystemrelease", "os.release.full"),
    ("osfamily", "os.family"),
    ("physicalprocessorcount", "processors.physicalcount"),
    ("processorcount", "processors.count"),
    ("productname", "dmi.product.name"),
    ("rubyplatform", "ruby.platform"),
    ("rubysitedir", "ruby.sitedir"),
    ("rubyversion", "ruby.version"),
    ("selinux", "os.selinux.enabled"),
    ("selinux_config_mode", "os.selinux.config_mode"),
    ("selinux_config_policy", "os.selinux.config_policy"),
    ("selinux_current_mode", "os.selinux.current_mode"),
    ("selinux_enforced", "os.selinux.enforced"),
    ("selinux_policyversion", "os.selinux.policy_version"),
    ("serialnumber", "dmi.product.serial_number"),
    ("sshecdsakey", "ssh.ecdsa.key"),
    ("sshed25519key", "ssh.ed25519.key"),
    ("sshrsakey", "ssh.rsa.key"),
    ("swapencrypted", "memory.swap.encrypted"),
    ("swapfree", "memory.swap.available"),
    ("swapsize", "memory.swap.total"),
    ("system32", "os.windows.system32"),
    ("uptime", "system_uptime.uptime"),
    ("uptime_days", "system_uptime.days"),
    ("uptime_hours", "system_uptime.hours"),
    ("uptime_seconds", "system_uptime.seconds"),
    ("uuid", "dmi.product.uuid"),
    ("windows_edition_id", "os.windows.edition_id"),
    ("windows_installation_type", "os.windows.installation_type"),
    ("windows_product_name", "os.windows.product_name"),
    ("windows_release_id", "os.windows.release_id"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_is_listed_twice() {
        assert_eq!(BY_NAME.len(), NAMES.len());
    }

    #[test]
    fn names_with_parameters() {
        assert_eq!(modern_name("ipaddress_eth0").as_deref(), Some("networking.interfaces.eth0.ip"));
        assert_eq!(modern_name("processor12").as_deref(), Some("processors.models.12"));
        assert_eq!(modern_name("blockdevice_sda_size").as_deref(), Some("disks.sda.size_bytes"));
        assert_eq!(modern_name("osfamily").as_deref(), Some("os.family"));
        assert_eq!(modern_name("kernel"), None);
        assert_eq!(modern_name("interfaces"), None);
    }
}
