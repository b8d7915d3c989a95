/// What became of one document of a `write`.
public enum WriteResult: Sendable {
  /// It is stored; the revision is its new one.
  case written(id: String, RevisionID)
  /// It was refused; the others are not affected.
  case refused(id: String, StoreError)
}

/// How `write` treats the revisions of the documents it is given.
public enum WriteMode: Sendable {
  /// Each document is an edit of the revision it names.
  case edits
  /// Each document is a revision made elsewhere, to be merged with its history as it is
  /// (`new_edits=false`): never a conflict error, but possibly a conflicting leaf.
  case revisions
}
