# PostgreSQL and the databases on it.
class profile::database (
  String[1] $version,
  String[1] $shared_buffers,
  Hash[String[1], Hash] $databases,
  Integer[1] $port = 5432,
  Integer[1] $max_connections = 100,
) {
}
