// swift-tools-version: 6.1
import PackageDescription

/// Every target of ours is built with the same rules; `make lint` and CI add warnings-as-errors.
let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
  name: "tote",
  products: [
    .executable(name: "tote", targets: ["tote"])
  ],
  targets: [
    // C libraries: a module map and a shim header each.
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(name: "CNettle", pkgConfig: "nettle", providers: [.apt(["nettle-dev"])]),
    // Loaded on first use, not linked: so no pkgConfig, which would link them.
    .systemLibrary(name: "CPCRE2", providers: [.apt(["libpcre2-dev"])]),
    .systemLibrary(name: "CICU", providers: [.apt(["libicu72"])]),

    // Loaded on first use, never linked: the C file holds a table of function pointers.
    .target(name: "CMicroHTTPD"),
    .target(name: "CCurl"),
    .target(name: "CGnuTLS"),
    .target(name: "CZlib"),
    .target(name: "CJPEG"),
    .target(name: "CQREncode"),
    .target(name: "CZBar"),

    // C code of ours, with the reason at the head of each header.
    .target(
      name: "CPageCipher", dependencies: ["CSQLite", "CNettle"],
      linkerSettings: [.linkedLibrary("nettle"), .linkedLibrary("sqlite3")]),
    .target(name: "CKeyring"),
    // The files of the web pages; it embeds them from the folders of their modules.
    .target(name: "CPages"),

    // Libraries. Arrows point down this list only; Tests/toteTests/LayeringTests.swift holds it.
    .target(name: "ArgumentParser", swiftSettings: settings),
    .target(
      name: "Core",
      dependencies: ["CSQLite", "CNettle", "CPageCipher", "CKeyring", "CZlib", "CPCRE2", "CICU"],
      swiftSettings: settings),
    .target(name: "Sync", dependencies: ["Core", "HTTP"], swiftSettings: settings),

    .target(
      name: "HTTP", dependencies: ["CMicroHTTPD", "CCurl", "CGnuTLS", "CZlib"],
      swiftSettings: settings),

    .target(
      name: "Photos", dependencies: ["Sync", "Core", "HTTP", "CJPEG", "CPages"],
      exclude: ["Page/Assets"], swiftSettings: settings),
    .target(
      name: "Drop",
      dependencies: ["Sync", "Core", "HTTP", "CQREncode", "CZBar", "CZlib", "CPages"],
      exclude: ["Page/Assets"], swiftSettings: settings),

    // The program.
    .executableTarget(
      name: "tote",
      dependencies: ["ArgumentParser", "Core", "HTTP", "Sync", "Photos", "Drop"],
      swiftSettings: settings),

    // Loops that `make bench` measures. It alone imports Foundation, to compare with it.
    .executableTarget(
      name: "tote-bench", dependencies: ["Core", "CSQLite"], path: "bench/harness",
      swiftSettings: settings),

    // What `make bench-photos` runs.
    .executableTarget(
      name: "photo-bench", dependencies: ["Photos"], path: "bench/photos/harness",
      swiftSettings: settings),

    // Tests.
    // Hostile pictures: `make fuzz` builds it with libFuzzer.
    .executableTarget(
      name: "photo-fuzz", dependencies: ["Photos", "HTTP"], path: "Tests/PhotoFuzz",
      swiftSettings: settings),
    .target(
      name: "CPhotoFixtures", path: "Tests/CPhotoFixtures",
      linkerSettings: [.linkedLibrary("jpeg")]),
    .testTarget(
      name: "PhotosTests",
      dependencies: ["Photos", "Sync", "Core", "HTTP", "CJPEG", "CPhotoFixtures", "TestSupport"],
      resources: [.copy("Corpus"), .copy("Found")], swiftSettings: settings),
    .target(name: "CTestSupport", path: "Tests/CTestSupport"),
    .target(
      name: "TestSupport", dependencies: ["CTestSupport", "Core"], path: "Tests/TestSupport",
      resources: [.copy("Vectors")],
      swiftSettings: settings),
    .testTarget(
      name: "TestSupportTests", dependencies: ["TestSupport"], swiftSettings: settings),
    .executableTarget(
      name: "completion-fixture", dependencies: ["ArgumentParser"],
      path: "Tests/CompletionFixture", swiftSettings: settings),
    .testTarget(
      name: "ArgumentParserTests",
      dependencies: ["ArgumentParser", "TestSupport", "completion-fixture"],
      swiftSettings: settings),
    .testTarget(
      name: "CoreTests", dependencies: ["Core", "CNettle", "TestSupport"],
      swiftSettings: settings),
    .testTarget(
      name: "SyncTests", dependencies: ["Sync", "Core", "HTTP", "TestSupport"],
      swiftSettings: settings),
    .testTarget(
      name: "HTTPTests", dependencies: ["HTTP", "CZlib"], swiftSettings: settings),
    .testTarget(
      name: "DropTests", dependencies: ["Drop", "Sync", "Core", "HTTP", "TestSupport"],
      swiftSettings: settings),
    .testTarget(
      name: "toteTests",
      dependencies: [
        "tote", "Core", "HTTP", "Sync", "Photos", "Drop", "ArgumentParser", "TestSupport",
        "CPhotoFixtures",
      ],
      exclude: ["Transcripts"],
      swiftSettings: settings),
  ]
)
