/// What `sync serve` answers: the topic `server`, and the page `tote-server(7)`.
enum ServerTopic {
  static let abstract = "what 'sync serve' answers, and where it differs from CouchDB"

  static let text = """
    'tote sync serve' speaks the HTTP API of Apache CouchDB 3. A store is a database. These paths \
    are answered; D is a document's id, A an attachment's name.

        /  _up  _uuids  _all_dbs  _dbs_info  _membership  _session
        _replicate  _active_tasks  _scheduler/jobs  _scheduler/docs
        _node/_local/_config
        /DB  _security  _revs_limit  _purged_infos_limit  _compact
        _view_cleanup  _ensure_full_commit  _purge
        _all_docs  _all_docs/queries  _design_docs  _local_docs  _changes
        _bulk_docs  _bulk_get  _revs_diff  _missing_revs
        _find  _explain  _index  _partition/P  _partition/P/_all_docs
        _partition/P/_find  _partition/P/_explain
        /DB/D  /DB/_design/D  /DB/_local/D  and for each of them /A

    Answered 501, since it needs JavaScript: views, shows, lists, updates and rewrites of design \
    documents, and filters of feeds by functions and views. Design documents themselves are stored, \
    listed and replicated; their validation functions are not run.

    Where the answers differ from CouchDB's:

    - A write is durable when it is answered; 'batch=ok' changes the answer only.
    - 'pending' of a filtered feed does not count what the filter passed over.
    - A bare number is taken as 'since'; a sequence of another database means its beginning.
    - 'revpos' is never 0, and attachments are stored as they were sent: text is not compressed.
    - Several ranges in one request are answered with the whole attachment.
    - A query with a sort that no index serves is answered, with a warning.
    - What CouchDB answers 500 to bad input is 400 here.
    - Replications that '_replicate' and documents of '_replicator' order run while the server does; \
    a document of '_replicator' has to give URLs.
    - Settings of '_node/_local/_config' last until the server stops; most of them change nothing.
    - Without users everybody who can connect is an administrator, and '_session' says so.

    Users, sessions and permissions are CouchDB's ('_users', '_session', '_security'). Web pages of other origins are let in by '--cors' only.
    """
}
