const { Client } = require('pg');
const { fingerprint, Signature, registerTypes } = require('pg-simhash');     // clients/javascript

async function main() {
    const db = new Client();
    await db.connect();
    await registerTypes(db);

    // Insert a document, and find its near-duplicates.
    await db.query('INSERT INTO page (body) VALUES ($1)', ['The quick brown fox jumps over the lazy dog']);
    let found = await db.query('SELECT id FROM page WHERE h <@> to_simhash($1) <= 3',
        ['the quick brown fox jumps over the lazy dog!']);
    console.log('page', ...found.rows.map((row) => row.id));

    // Load fingerprints that were made elsewhere.
    const ids = Array.from({ length: 1000 }, (_, i) => i + 1);
    const fingerprints = ids.map((n) => fingerprint(BigInt.asUintN(64, BigInt(n) * 0x9E3779B97F4A7C15n)));
    await db.query('INSERT INTO image SELECT * FROM unnest($1::bigint[], $2::simhash[])', [ids, fingerprints]);

    const query = fingerprint(0x9E3779B97F4A7C15n ^ 5n);
    found = await db.query('SELECT id, h <@> $1 AS distance FROM image WHERE h <@> $1 <= $2', [query, 3]);
    console.log('within', ...found.rows.map((row) => `${row.id}:${row.distance}`));
    found = await db.query('SELECT id, h <@> $1 AS distance FROM image ORDER BY distance, id LIMIT 3', [query]);
    console.log('nearest', ...found.rows.map((row) => `${row.id}:${row.distance}`));
    found = await db.query('SELECT h FROM image WHERE id = 1');
    console.log('value', String(found.rows[0].h));

    found = await db.query('SELECT to_simhash(features($1::text[])) AS h', [['Urgent', 'invoice no. 5']]);
    console.log('features', fingerprint(found.rows[0].h));

    // Signatures are made of bytes.
    const bytes = [...Array(32).keys()];
    await db.query('INSERT INTO photo VALUES (1, $1)', [new Signature(bytes)]);
    bytes[0] = 7;
    found = await db.query('SELECT id, sig <@> $1 AS distance, sig FROM photo WHERE sig <@> $1 <= 31', [new Signature(bytes)]);
    for (const row of found.rows) console.log('signature', `${row.id}:${row.distance}`, row.sig.bytes.toString('hex'));
    await db.end();
}

main();
