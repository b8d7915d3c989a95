import CNettle
import CSQLite

/// The C libraries this module stands on.
public enum Libraries {
  /// Their names and the versions in use, sorted by name.
  public static var versions: [(name: String, version: String)] {
    [
      ("nettle", "\(nettle_version_major()).\(nettle_version_minor())"),
      ("sqlite", String(cString: sqlite3_libversion())),
    ]
  }
}
