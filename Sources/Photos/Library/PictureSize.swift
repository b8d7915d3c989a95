/// The sizes in which a photo is kept.
public enum PictureSize: String, Sendable, CaseIterable {
  /// The whole picture.
  case full
  /// For a screen: at most 1,600 pixels on the longer side.
  ///
  /// A photo that is no larger has none; its full picture serves.
  case view
  /// The middle square, 320 pixels wide.
  case thumb

  /// The name of the photo's attachment.
  public var attachmentName: String { rawValue + ".jpg" }
}
