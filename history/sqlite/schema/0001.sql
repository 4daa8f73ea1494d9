-- Rows are numbered (n) inside the file; ids of ours are 16 bytes and stand
-- once each. Times are microseconds since 1970 in UTC. Numbers of entries grow
-- along every path: a parent is always smaller than its children. What a row
-- refers to is read in the transaction that writes the row, so that foreign keys
-- need not be enforced; "stemma check" finds what damage has cut off.

CREATE TABLE conversation (
  n                   INTEGER PRIMARY KEY,
  id                  BLOB    NOT NULL UNIQUE,
  title               TEXT    NOT NULL,
  tip                 INTEGER REFERENCES entry(n),
  imported_tip        INTEGER REFERENCES entry(n),  -- where the last import put the tip
  forked_conversation BLOB,                         -- links may lead out of the file
  forked_entry        BLOB,
  spawned_conversation BLOB,
  spawned_entry       BLOB,
  source_tool         TEXT,                         -- the other tool's session; NULL where it is ours
  source_id           TEXT,
  model               TEXT    NOT NULL,
  directory           TEXT    NOT NULL,
  owner               TEXT    NOT NULL,
  created             INTEGER NOT NULL,
  updated             INTEGER NOT NULL,
  entries             INTEGER NOT NULL DEFAULT 0    -- how many it has
) STRICT;
CREATE INDEX conversation_source ON conversation(source_tool, source_id) WHERE source_tool IS NOT NULL;

-- What entries say, numbered as the entry that said it first. A fork's entries
-- share the bodies of its origin; a body holds no id of ours.
CREATE TABLE body (
  n        INTEGER PRIMARY KEY,
  encoding INTEGER NOT NULL,  -- 0 plain, 1 zstd, 2 S2
  data     BLOB    NOT NULL   -- JSON
) STRICT;

CREATE TABLE entry (
  n               INTEGER PRIMARY KEY,
  id              BLOB    NOT NULL UNIQUE,
  conversation    INTEGER NOT NULL REFERENCES conversation(n),
  parent          INTEGER REFERENCES entry(n),     -- NULL at a root
  depth           INTEGER NOT NULL,
  role            TEXT,                            -- of a message; NULL makes the entry a compaction
  author          TEXT    NOT NULL,
  created         INTEGER NOT NULL,
  body            INTEGER NOT NULL,                -- its own number, except in a copy
  last_compaction INTEGER REFERENCES entry(n),     -- at or above
  left_tip        INTEGER REFERENCES entry(n),     -- what a rewind left
  source          TEXT,                            -- the other tool's id of the record
  usage           TEXT,                            -- JSON
  frame           BLOB,                            -- hash of a blob
  seals           BLOB,                            -- hashes in a row, 32 bytes each
  bytes           INTEGER NOT NULL,
  preview         TEXT    NOT NULL,
  CHECK (parent < n),
  CHECK ((parent IS NULL) = (depth = 1))
) STRICT;
CREATE INDEX entry_tree ON entry(conversation, parent);
CREATE INDEX entry_copy ON entry(body) WHERE body <> n;
CREATE INDEX entry_source ON entry(conversation, source) WHERE source IS NOT NULL;

-- Images, documents, large results, frames: by the SHA-256 of the plain bytes.
CREATE TABLE blob (
  hash     BLOB    PRIMARY KEY,
  type     TEXT    NOT NULL,
  size     INTEGER NOT NULL,
  encoding INTEGER NOT NULL,
  data     BLOB    NOT NULL
) STRICT;

CREATE TABLE checkpoint (
  n            INTEGER PRIMARY KEY,
  id           BLOB    NOT NULL UNIQUE,
  conversation INTEGER NOT NULL REFERENCES conversation(n),
  name         TEXT    NOT NULL,
  entry        INTEGER NOT NULL REFERENCES entry(n),
  set_by       TEXT    NOT NULL,
  created      INTEGER NOT NULL
) STRICT;
CREATE INDEX checkpoint_conversation ON checkpoint(conversation);

CREATE TABLE pin (
  n            INTEGER PRIMARY KEY AUTOINCREMENT,
  conversation INTEGER NOT NULL REFERENCES conversation(n),
  entry        INTEGER NOT NULL UNIQUE REFERENCES entry(n)
) STRICT;
CREATE INDEX pin_conversation ON pin(conversation);

CREATE TABLE queued (
  n            INTEGER PRIMARY KEY AUTOINCREMENT,
  id           BLOB    NOT NULL UNIQUE,
  conversation INTEGER NOT NULL REFERENCES conversation(n),
  created      INTEGER NOT NULL,
  body         BLOB    NOT NULL
) STRICT;
CREATE INDEX queued_conversation ON queued(conversation);

CREATE TABLE draft (
  conversation INTEGER NOT NULL REFERENCES conversation(n),
  run          BLOB    NOT NULL,
  parent       INTEGER REFERENCES entry(n),
  updated      INTEGER NOT NULL,
  message      BLOB    NOT NULL,
  calls        TEXT    NOT NULL,
  results      BLOB    NOT NULL,
  PRIMARY KEY (conversation, run)
) STRICT;

-- The words of bodies, by their number. They reach the index cut and folded
-- already, with spaces between, so the simplest tokenizer does.
CREATE VIRTUAL TABLE words USING fts5(text, content='', contentless_delete=1, tokenize='ascii');
CREATE TABLE indexed (
  body INTEGER NOT NULL  -- the last body that the index has read
) STRICT;
INSERT INTO indexed VALUES (0);
