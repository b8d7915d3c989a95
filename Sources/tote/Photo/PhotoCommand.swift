import ArgumentParser

/// The noun `photo`.
struct PhotoCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "photo", abstract: "share photos from this machine",
    discussion: """
      A library is a store of photos, so that it syncs as every store does. Nothing of a file is kept \
      but its pixels: they are turned upright, converted to sRGB and encoded anew, without place, \
      camera or comment. Each photo is there in full, at the size of a screen, and as a small square.

      Without '--library' the library is the store 'photos' of this machine, made by the first photo.
      """,
    groupedSubcommands: [
      CommandGroup(
        name: "Photos",
        subcommands: [PhotoStream.self, PhotoAdd.self, PhotoRemove.self, PhotoExportCommand.self]),
      CommandGroup(name: "The service", subcommands: [PhotoServe.self, PhotoUser.self]),
    ])
}

/// The noun `photo user`.
struct PhotoUser: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "user", abstract: "make, list and change the people who add photos",
    discussion: """
      They are the users of 'tote perms user', under names that can be written in small letters, \
      digits and '.', '_', '-'. Passwords are asked for, read from a file, or are a line of standard \
      input; they never stand on the command line.
      """,
    subcommands: [
      PhotoUserAdd.self, PhotoUserRemove.self, PhotoUserList.self, PhotoUserPassword.self,
      PhotoUserToken.self,
    ])
}

/// The noun `photo user token`.
struct PhotoUserToken: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "token", abstract: "make, list and remove tokens for scripts",
    discussion: """
      A token stands for a user's password in scripts. It is shown once, when it is made, and ends \
      when the user gets another password.
      """,
    subcommands: [PhotoUserTokenAdd.self, PhotoUserTokenList.self, PhotoUserTokenRemove.self])
}
