CREATE EXTENSION simhash;

CREATE UNLOGGED TABLE document (path text, kind text, body text);
