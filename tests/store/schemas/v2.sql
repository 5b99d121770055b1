PRAGMA application_id = 1450328692;
PRAGMA user_version = 2;
CREATE TABLE conversations (
    id TEXT PRIMARY KEY NOT NULL,
    title TEXT NOT NULL,
    created REAL NOT NULL,
    updated REAL NOT NULL,
    head TEXT,                          -- message the conversation is at; NULL: empty
    endpoint TEXT NOT NULL,
    dialect TEXT NOT NULL,
    model TEXT NOT NULL,
    settings TEXT NOT NULL,             -- JSON, opaque here
    pinned INTEGER NOT NULL DEFAULT 0,
    tags TEXT NOT NULL DEFAULT '[]',    -- JSON array of strings
    deleted_at REAL,                    -- NULL: not deleted
    recorded INTEGER NOT NULL DEFAULT 1
);
CREATE INDEX conversations_by_update ON conversations(pinned, updated);
CREATE TABLE messages (                 -- a tree by parent: a branch is a second child
    id TEXT PRIMARY KEY NOT NULL,
    conversation TEXT NOT NULL REFERENCES conversations(id) ON DELETE CASCADE,
    parent TEXT REFERENCES messages(id) ON DELETE CASCADE,
    seq INTEGER NOT NULL,               -- order of storing in the conversation
    role TEXT NOT NULL,                 -- user | assistant | results
    created REAL NOT NULL,
    body TEXT NOT NULL,                 -- JSON, opaque here
    exchange TEXT                       -- the exchange an assistant message came from
);
CREATE UNIQUE INDEX messages_in_order ON messages(conversation, seq);
CREATE INDEX messages_by_parent ON messages(parent);
CREATE TABLE exchanges (
    n INTEGER PRIMARY KEY AUTOINCREMENT,    -- never used twice: chunks are keyed by it
    id TEXT UNIQUE NOT NULL,
    conversation TEXT NOT NULL REFERENCES conversations(id) ON DELETE CASCADE,
    message TEXT,                       -- the assistant message made of it; NULL: none yet
    owner TEXT NOT NULL,                -- the process that ran it (see owners.py)
    dialect TEXT NOT NULL,
    endpoint TEXT NOT NULL,
    url TEXT NOT NULL,
    request_headers TEXT NOT NULL,      -- JSON pairs, secrets masked
    request_body BLOB NOT NULL,         -- zlib
    status INTEGER,
    response_headers TEXT,
    started REAL NOT NULL,              -- unix seconds
    ended REAL,
    ending TEXT NOT NULL DEFAULT 'open',    -- open | complete | broken | cancelled | abandoned
    problem TEXT NOT NULL DEFAULT '',
    tools TEXT,                         -- JSON of the tools offered, opaque here
    lost INTEGER NOT NULL DEFAULT 0     -- response bytes that could not be kept
);
CREATE INDEX exchanges_by_conversation ON exchanges(conversation);
CREATE INDEX exchanges_open ON exchanges(owner) WHERE ending = 'open';
CREATE INDEX exchanges_abandoned ON exchanges(conversation)
    WHERE ending = 'abandoned' AND message IS NULL;
CREATE TABLE chunks (
    id INTEGER PRIMARY KEY,             -- exchanges.n << 24 | seq
    at REAL NOT NULL,                   -- seconds since the request was sent
    data BLOB NOT NULL
);
CREATE TRIGGER exchange_deleted AFTER DELETE ON exchanges BEGIN
    DELETE FROM chunks WHERE id BETWEEN (old.n << 24) AND (old.n << 24 | 16777215);
END;
CREATE TABLE calls (
    conversation TEXT NOT NULL REFERENCES conversations(id) ON DELETE CASCADE,
    ref TEXT NOT NULL,
    message TEXT,
    exchange TEXT,
    ordinal INTEGER NOT NULL,           -- place among the calls of its turn
    key TEXT NOT NULL,                  -- how the stream referred to it, in words
    wire_id TEXT,
    name TEXT NOT NULL,
    kind TEXT NOT NULL,
    raw BLOB NOT NULL,                  -- argument text, UTF-8 with surrogates
    fragments INTEGER NOT NULL,
    digest TEXT NOT NULL,
    state TEXT NOT NULL,
    problem TEXT NOT NULL DEFAULT '',
    other_text BLOB,
    PRIMARY KEY (conversation, ref)
);
CREATE INDEX calls_by_message ON calls(message);
CREATE TABLE dispatches (               -- the ledger
    id INTEGER PRIMARY KEY,
    conversation TEXT NOT NULL,
    call_ref TEXT NOT NULL,
    attempt INTEGER NOT NULL,
    owner TEXT NOT NULL,
    started REAL NOT NULL,
    ended REAL,
    outcome TEXT,                       -- NULL: running
    policy TEXT NOT NULL, edited BLOB, told TEXT,               -- who allowed it
    UNIQUE (conversation, call_ref, attempt),
    FOREIGN KEY (conversation, call_ref) REFERENCES calls(conversation, ref) ON DELETE CASCADE
);
CREATE INDEX dispatches_running ON dispatches(owner) WHERE ended IS NULL;
CREATE INDEX dispatches_unknown ON dispatches(conversation) WHERE outcome = 'unknown';
CREATE TABLE results (
    conversation TEXT NOT NULL REFERENCES conversations(id) ON DELETE CASCADE,
    call_ref TEXT NOT NULL,
    attempt INTEGER NOT NULL,           -- 0: it never ran
    body TEXT NOT NULL,                 -- JSON, opaque here
    is_error INTEGER NOT NULL,
    origin TEXT NOT NULL,
    created REAL NOT NULL,
    full_output BLOB,                   -- where the body holds a shortened one
    PRIMARY KEY (conversation, call_ref, attempt)
);
CREATE TABLE findings (
    endpoint TEXT NOT NULL,
    code TEXT NOT NULL,
    count INTEGER NOT NULL,
    last REAL NOT NULL,
    PRIMARY KEY (endpoint, code)
);
CREATE TABLE texts (                    -- what can be searched; the record is elsewhere
    id INTEGER PRIMARY KEY,
    conversation TEXT NOT NULL REFERENCES conversations(id) ON DELETE CASCADE,
    kind TEXT NOT NULL,                 -- title | prose | arguments | result
    message TEXT,
    call_ref TEXT,
    text TEXT NOT NULL
);
CREATE INDEX texts_by_subject ON texts(conversation, kind, call_ref);
CREATE VIRTUAL TABLE texts_index USING fts5(
    text, content = 'texts', content_rowid = 'id', tokenize = 'trigram'
);
CREATE TRIGGER text_added AFTER INSERT ON texts BEGIN
    INSERT INTO texts_index(rowid, text) VALUES (new.id, new.text);
END;
CREATE TRIGGER text_deleted AFTER DELETE ON texts BEGIN
    INSERT INTO texts_index(texts_index, rowid, text) VALUES ('delete', old.id, old.text);
END;
INSERT INTO conversations(id, title, created, updated, head, endpoint, dialect, model, settings, pinned, tags, deleted_at, recorded) VALUES ('01a22bfc706328cce6d7a85faf9d', 'Trip to Ōsaka', 1.7960342938597669601e+09, 1.79603429386522078512e+09, '01a22bfc70654935a412be301068', 'work', 'anthropic', 'm', '{}', 0, '["travel"]', NULL, 1);
INSERT INTO messages(id, conversation, parent, seq, role, created, body, exchange) VALUES ('01a22bfc706435e231fbaea7985e', '01a22bfc706328cce6d7a85faf9d', NULL, 1, 'user', 1.79603429386044621471e+09, '{"text":"hi"}', NULL);
INSERT INTO messages(id, conversation, parent, seq, role, created, body, exchange) VALUES ('01a22bfc70654935a412be301068', '01a22bfc706328cce6d7a85faf9d', '01a22bfc706435e231fbaea7985e', 2, 'assistant', 1.79603429386190676687e+09, '{}', '01a22bfc7063268278fdfc2bee63');
INSERT INTO exchanges(n, id, conversation, message, owner, dialect, endpoint, url, request_headers, request_body, status, response_headers, started, ended, ending, problem, tools, lost) VALUES (1, '01a22bfc7063268278fdfc2bee63', '01a22bfc706328cce6d7a85faf9d', '01a22bfc70654935a412be301068', 'ae6805a9e1ef92c6179f6d50', 'anthropic', 'work', 'https://api.example.com/v1', '[]', X'7801030000000001', 200, '[["content-type", "text/event-stream"]]', 1796034293.85993, 1.79603429386043477065e+09, 'complete', '', NULL, 0);
INSERT INTO chunks(id, at, data) VALUES (16777216, 0.25, X'6576656E743A2070696E670A');
INSERT INTO chunks(id, at, data) VALUES (16777217, 0.5, X'00FF');
INSERT INTO calls(conversation, ref, message, exchange, ordinal, key, wire_id, name, kind, raw, fragments, digest, state, problem, other_text) VALUES ('01a22bfc706328cce6d7a85faf9d', 't1.c1', '01a22bfc70654935a412be301068', '01a22bfc7063268278fdfc2bee63', 0, 'block 1', 'toolu_1', 'get_weather', 'function', X'7B2263697479223A22EDA0BD227D', 3, 'd1', 'returned', '', NULL);
INSERT INTO dispatches(id, conversation, call_ref, attempt, owner, started, ended, outcome, policy, edited, told) VALUES (1, '01a22bfc706328cce6d7a85faf9d', 't1.c1', 1, 'ae6805a9e1ef92c6179f6d50', 1.79603429386196041103e+09, 1.79603429386522078512e+09, 'returned', 'person', X'7B2263697479223A22EDA0BD73616B61227D', 'edited');
INSERT INTO results(conversation, call_ref, attempt, body, is_error, origin, created, full_output) VALUES ('01a22bfc706328cce6d7a85faf9d', 't1.c1', 1, '{}', 0, 'tool', 1.79603429386522078512e+09, NULL);
INSERT INTO findings(endpoint, code, count, last) VALUES ('work', 'no-marker', 3, 1.79603429386526298517e+09);
INSERT INTO texts(id, conversation, kind, message, call_ref, text) VALUES (1, '01a22bfc706328cce6d7a85faf9d', 'title', NULL, NULL, 'Trip to Ōsaka');
INSERT INTO texts(id, conversation, kind, message, call_ref, text) VALUES (2, '01a22bfc706328cce6d7a85faf9d', 'prose', '01a22bfc706435e231fbaea7985e', NULL, 'weather please');
INSERT INTO texts(id, conversation, kind, message, call_ref, text) VALUES (3, '01a22bfc706328cce6d7a85faf9d', 'arguments', '01a22bfc70654935a412be301068', 't1.c1', 'get_weather {"city":"?"}');
INSERT INTO texts(id, conversation, kind, message, call_ref, text) VALUES (4, '01a22bfc706328cce6d7a85faf9d', 'result', '01a22bfc70654935a412be301068', 't1.c1', '22 degrees');
