import Core

/// The API's description in the terms of OpenAPI 3.1, for programs that make or test clients.
struct OpenAPIDescription {
  /// The document as JSON.
  let text: String

  init(_ options: PhotoServer.Options) {
    text = """
      {"openapi":"3.1.0",\
      "info":{"title":\(JSON.string(options.name).serialized(.compact.escapingSeparators)),\
      "version":\(JSON.string(options.version.isEmpty ? "0" : options.version).serialized()),\
      "description":"A library of photos. Nothing that is sent is kept but the pixels."},\
      "servers":[{"url":"/"}],
      "paths":{\(Self.accounts),
      \(Self.photos),
      \(Self.others)},
      "components":\(Self.components)}

      """
  }

  // MARK: Paths

  private static let accounts = #"""
    "/api/v1/info":{"get":{"operationId":"getInfo","summary":"What the server is and allows","security":[],"responses":{
      "200":{"description":"The facts","content":{"application/json":{"schema":{"$ref":"#/components/schemas/Info"}}}},
      "default":{"$ref":"#/components/responses/Problem"}}}},
    "/api/v1/session":{"get":{"operationId":"getSession","summary":"Who is logged in","responses":{
      "200":{"description":"The user, or null","content":{"application/json":{"schema":{"type":"object","required":["user"],
        "properties":{"user":{"oneOf":[{"$ref":"#/components/schemas/User"},{"type":"null"}]}}}}}},
      "default":{"$ref":"#/components/responses/Problem"}}}},
    "/api/v1/register":{"post":{"operationId":"register","summary":"Make an account and log in","security":[],
      "requestBody":{"required":true,"content":{"application/json":{"schema":{"type":"object","required":["username","password"],
        "properties":{"username":{"$ref":"#/components/schemas/UserName"},"password":{"$ref":"#/components/schemas/Password"},
          "invite":{"type":["string","null"],"description":"the code, where accounts are by invitation"}}}}}},
      "responses":{
      "201":{"description":"The account; a cookie holds the session","headers":{"Set-Cookie":{"schema":{"type":"string"}}},
        "content":{"application/json":{"schema":{"$ref":"#/components/schemas/LoggedIn"}}}},
      "403":{"$ref":"#/components/responses/Problem"},"409":{"$ref":"#/components/responses/Problem"},
      "default":{"$ref":"#/components/responses/Problem"}}}},
    "/api/v1/login":{"post":{"operationId":"logIn","summary":"Log in","security":[],
      "requestBody":{"required":true,"content":{"application/json":{"schema":{"type":"object","required":["username","password"],
        "properties":{"username":{"type":"string"},"password":{"type":"string"},
          "token":{"type":"boolean","default":false,"description":"a token for the Authorization header instead of a cookie"}}}}}},
      "responses":{
      "200":{"description":"The session","content":{"application/json":{"schema":{"type":"object","required":["user","token"],
        "properties":{"user":{"$ref":"#/components/schemas/User"},"token":{"type":["string","null"]}}}}}},
      "401":{"$ref":"#/components/responses/Problem"},"429":{"$ref":"#/components/responses/Busy"},
      "default":{"$ref":"#/components/responses/Problem"}}}},
    "/api/v1/logout":{"post":{"operationId":"logOut","summary":"End the session","responses":{
      "204":{"description":"It is over"},"default":{"$ref":"#/components/responses/Problem"}}}},
    "/api/v1/tokens":{
      "get":{"operationId":"listTokens","summary":"The caller's API tokens, without their secrets","responses":{
        "200":{"description":"The tokens","content":{"application/json":{"schema":{"type":"object","required":["tokens"],
          "properties":{"tokens":{"type":"array","items":{"$ref":"#/components/schemas/Token"}}}}}}},
        "401":{"$ref":"#/components/responses/Problem"},"default":{"$ref":"#/components/responses/Problem"}}},
      "post":{"operationId":"makeToken","summary":"Make an API token; its secret is shown once",
        "requestBody":{"required":true,"content":{"application/json":{"schema":{"type":"object","required":["label","scope"],
          "properties":{"label":{"type":"string","minLength":1,"maxLength":\#(PhotoSessions.labelLimit)},"scope":{"enum":["upload","full"]}}}}}},
        "responses":{
        "201":{"description":"The token","content":{"application/json":{"schema":{"allOf":[{"$ref":"#/components/schemas/Token"},
          {"type":"object","required":["token"],"properties":{"token":{"type":"string"}}}]}}}},
        "401":{"$ref":"#/components/responses/Problem"},"default":{"$ref":"#/components/responses/Problem"}}}},
    "/api/v1/tokens/{id}":{"delete":{"operationId":"removeToken","summary":"Remove an API token",
      "parameters":[{"name":"id","in":"path","required":true,"schema":{"type":"string","minLength":1}}],
      "responses":{"204":{"description":"It is gone"},"401":{"$ref":"#/components/responses/Problem"},
        "404":{"$ref":"#/components/responses/Problem"},"default":{"$ref":"#/components/responses/Problem"}}}}
    """#

  private static let photos = #"""
    "/api/v1/photos":{
      "get":{"operationId":"listPhotos","summary":"A part of the stream, newest first",
        "parameters":[{"$ref":"#/components/parameters/Limit"},{"$ref":"#/components/parameters/Before"},
          {"name":"user","in":"query","required":false,"description":"only this user's","schema":{"$ref":"#/components/schemas/UserName"}}],
        "responses":{
        "200":{"description":"The photos","content":{"application/json":{"schema":{"$ref":"#/components/schemas/Page"}}}},
        "default":{"$ref":"#/components/responses/Problem"}}},
      "post":{"operationId":"addPhoto","summary":"Add a photo",
        "parameters":[{"name":"title","in":"query","required":false,"description":"with a bare picture",
          "schema":{"type":"string","maxLength":\#(PhotoText.titleLimit)}}],
        "requestBody":{"required":true,"content":{
          "multipart/form-data":{"schema":{"type":"object","required":["file"],"properties":{
            "title":{"type":"string","maxLength":\#(PhotoText.titleLimit)},"file":{"type":"string","format":"binary"}}}},
          "image/jpeg":{"schema":{"type":"string","format":"binary"}}}},
        "responses":{
        "201":{"description":"It was added","headers":{"Location":{"schema":{"type":"string"}}},
          "content":{"application/json":{"schema":{"$ref":"#/components/schemas/AddedPhoto"}}}},
        "200":{"description":"The caller had added the same file before","headers":{"Location":{"schema":{"type":"string"}}},
          "content":{"application/json":{"schema":{"$ref":"#/components/schemas/AddedPhoto"}}}},
        "401":{"$ref":"#/components/responses/Problem"},"413":{"$ref":"#/components/responses/Problem"},
        "415":{"$ref":"#/components/responses/Problem"},"422":{"$ref":"#/components/responses/Problem"},
        "429":{"$ref":"#/components/responses/Busy"},"507":{"$ref":"#/components/responses/Problem"},
        "default":{"$ref":"#/components/responses/Problem"}}}},
    "/api/v1/photos/sent/{sha256}":{"get":{"operationId":"findSent","summary":"The caller's photo that was made of a file",
      "description":"Asked before the file is sent. What other users have is not told.",
      "parameters":[{"name":"sha256","in":"path","required":true,"schema":{"type":"string","pattern":"^[0-9A-Fa-f]{64}$"}}],
      "responses":{
      "200":{"description":"The photo","content":{"application/json":{"schema":{"$ref":"#/components/schemas/Photo"}}}},
      "401":{"$ref":"#/components/responses/Problem"},"404":{"$ref":"#/components/responses/Problem"},
      "default":{"$ref":"#/components/responses/Problem"}}}},
    "/api/v1/photos/{id}":{
      "parameters":[{"$ref":"#/components/parameters/PhotoID"}],
      "get":{"operationId":"getPhoto","summary":"One photo","responses":{
        "200":{"description":"The photo","content":{"application/json":{"schema":{"$ref":"#/components/schemas/Photo"}}}},
        "404":{"$ref":"#/components/responses/Problem"},"default":{"$ref":"#/components/responses/Problem"}}},
      "delete":{"operationId":"removePhoto","summary":"Remove a photo of one's own","responses":{
        "204":{"description":"It is gone"},"401":{"$ref":"#/components/responses/Problem"},
        "404":{"$ref":"#/components/responses/Problem"},"default":{"$ref":"#/components/responses/Problem"}}}},
    "/api/v1/users/{name}/photos":{"get":{"operationId":"listUserPhotos","summary":"A part of one user's photos",
      "parameters":[{"name":"name","in":"path","required":true,"schema":{"$ref":"#/components/schemas/UserName"}},
        {"$ref":"#/components/parameters/Limit"},{"$ref":"#/components/parameters/Before"}],
      "responses":{
      "200":{"description":"The photos","content":{"application/json":{"schema":{"$ref":"#/components/schemas/Page"}}}},
      "default":{"$ref":"#/components/responses/Problem"}}}},
    "/photos/{id}/{size}.jpg":{"get":{"operationId":"getPicture","summary":"A picture; it never changes",
      "parameters":[{"$ref":"#/components/parameters/PhotoID"},
        {"name":"size","in":"path","required":true,"schema":{"enum":["full","view","thumb"]}}],
      "responses":{
      "200":{"description":"The picture","headers":{"ETag":{"schema":{"type":"string"}},"Cache-Control":{"schema":{"type":"string"}}},
        "content":{"image/jpeg":{"schema":{"type":"string","format":"binary"}}}},
      "206":{"description":"The part that Range asked for","content":{"image/jpeg":{"schema":{"type":"string","format":"binary"}}}},
      "304":{"description":"The caller has it"},
      "404":{"$ref":"#/components/responses/Problem"},"default":{"$ref":"#/components/responses/Problem"}}}}
    """#

  private static let others = #"""
    "/api/v1/events":{"get":{"operationId":"listen","summary":"Photos as they come and go: server-sent events 'added' and 'removed'",
      "parameters":[{"name":"Last-Event-ID","in":"header","required":false,"description":"go on after this photo",
        "schema":{"type":"string"}}],
      "responses":{"200":{"description":"The events","content":{"text/event-stream":{"schema":{"type":"string"}}}},
        "default":{"$ref":"#/components/responses/Problem"}}}},
    "/feed.xml":{"get":{"operationId":"getRSS","summary":"The newest photos as RSS 2.0",
      "parameters":[{"name":"user","in":"query","required":false,"schema":{"$ref":"#/components/schemas/UserName"}}],
      "responses":{"200":{"description":"The feed","content":{"application/rss+xml":{"schema":{"type":"string"}}}},
        "default":{"$ref":"#/components/responses/Problem"}}}},
    "/feed.json":{"get":{"operationId":"getJSONFeed","summary":"The newest photos as JSON Feed 1.1",
      "parameters":[{"name":"user","in":"query","required":false,"schema":{"$ref":"#/components/schemas/UserName"}}],
      "responses":{"200":{"description":"The feed","content":{"application/feed+json":{"schema":{"type":"object"}}}},
        "default":{"$ref":"#/components/responses/Problem"}}}},
    "/health":{"get":{"operationId":"getHealth","summary":"Whether the library can be read","security":[],"responses":{
      "200":{"description":"It can","content":{"application/json":{"schema":{"type":"object","required":["status"],
        "properties":{"status":{"const":"ok"}}}}}},
      "503":{"$ref":"#/components/responses/Problem"},"default":{"$ref":"#/components/responses/Problem"}}}}
    """#

  // MARK: Components

  private static let components = #"""
    {"securitySchemes":{
      "bearer":{"type":"http","scheme":"bearer","description":"a session's or an API token"},
      "cookie":{"type":"apiKey","in":"cookie","name":"tote_session","description":"changes need the header 'X-Tote: 1' besides"}},
    "parameters":{
      "PhotoID":{"name":"id","in":"path","required":true,"schema":{"$ref":"#/components/schemas/PhotoID"}},
      "Limit":{"name":"limit","in":"query","required":false,"schema":{"type":"integer","minimum":1,"maximum":200,"default":50}},
      "Before":{"name":"before","in":"query","required":false,"description":"the 'next' of an earlier answer",
        "schema":{"$ref":"#/components/schemas/PhotoID"}}},
    "responses":{
      "Problem":{"description":"What is wrong","content":{"application/json":{"schema":{"$ref":"#/components/schemas/Problem"}}}},
      "Busy":{"description":"Too much at once","headers":{"Retry-After":{"required":true,"schema":{"type":"string"}}},
        "content":{"application/json":{"schema":{"$ref":"#/components/schemas/Problem"}}}}},
    "schemas":{
      "PhotoID":{"type":"string","pattern":"^[0-9a-hjkmnp-tv-z]{36}$"},
      "UserName":{"type":"string","pattern":"^[A-Za-z0-9][A-Za-z0-9._-]{0,\#(PhotoText.userNameLimit - 1)}$"},
      "Password":{"type":"string","minLength":\#(PhotoUsers.passwordCharacters.lowerBound),"maxLength":\#(PhotoUsers.passwordCharacters.upperBound)},
      "User":{"type":"object","required":["name"],"properties":{"name":{"type":"string"}}},
      "LoggedIn":{"type":"object","required":["user"],"properties":{"user":{"$ref":"#/components/schemas/User"}}},
      "Info":{"type":"object","required":["name","version","registration","private","max_upload","max_pixels"],"properties":{
        "name":{"type":"string"},"version":{"type":"string"},"registration":{"enum":["open","invite","closed"]},
        "private":{"type":"boolean"},"max_upload":{"type":"integer"},"max_pixels":{"type":"integer"}}},
      "Token":{"type":"object","required":["id","label","scope","created"],"properties":{"id":{"type":"string"},
        "label":{"type":"string"},"scope":{"enum":["upload","full"]},"created":{"type":"string"}}},
      "Picture":{"type":"object","required":["url","bytes"],"properties":{"url":{"type":"string"},"bytes":{"type":"integer"}}},
      "Photo":{"type":"object","required":["id","number","title","user","width","height","created","taken","placeholder","notes",
        "full","view","thumb"],"properties":{
        "id":{"$ref":"#/components/schemas/PhotoID"},"number":{"type":"integer"},"title":{"type":"string"},"user":{"type":"string"},
        "width":{"type":"integer"},"height":{"type":"integer"},"created":{"type":"string","format":"date-time"},
        "taken":{"type":["string","null"],"description":"by the camera's clock, without a zone"},
        "placeholder":{"type":"string","description":"a ThumbHash in base64"},
        "notes":{"type":"array","items":{"type":"string"}},"full":{"$ref":"#/components/schemas/Picture"},
        "view":{"$ref":"#/components/schemas/Picture"},"thumb":{"$ref":"#/components/schemas/Picture"}}},
      "AddedPhoto":{"allOf":[{"$ref":"#/components/schemas/Photo"},{"type":"object","required":["duplicate"],
        "properties":{"duplicate":{"type":"boolean"}}}]},
      "Page":{"type":"object","required":["photos","next"],"properties":{
        "photos":{"type":"array","items":{"$ref":"#/components/schemas/Photo"}},
        "next":{"oneOf":[{"$ref":"#/components/schemas/PhotoID"},{"type":"null"}]}}},
      "Problem":{"type":"object","required":["error"],"properties":{"error":{"type":"object","required":["code","message"],
        "properties":{"code":{"type":"string"},"message":{"type":"string"},"file":{"type":"string"}}}}}}}
    """#
}
