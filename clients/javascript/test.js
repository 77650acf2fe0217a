// Needs a database with the extension simhash; PGHOST and the like say where. Prints "passed".
const assert = require('assert');
const { Client, Pool } = require('pg');
const { distance, fingerprint, Signature, registerTypes } = require('pg-simhash');

async function main() {
    const db = new Client();
    await db.connect();
    await registerTypes(db);
    const only = async (sql, ...values) => Object.values((await db.query(sql, values)).rows[0])[0];

    for (const value of [0n, 1n, 2n ** 63n, 2n ** 64n - 1n])
        assert.strictEqual(await only('SELECT $1::simhash', fingerprint(value)), value);
    assert.strictEqual(await only('SELECT $1::simhash', fingerprint(-2n)), 2n ** 64n - 2n);
    assert.strictEqual(await only('SELECT $1::simhash', null), null);
    assert.deepStrictEqual(await only('SELECT $1::simhash[]', [fingerprint(5n), null]), [5n, null]);
    assert.deepStrictEqual(await only("SELECT ('[0:1][3:4]={{' || $1 || ',NULL},{' || $2 || ',' || $1 || '}}')::simhash[]", fingerprint(5n), fingerprint(255n)),
        [[5n, null], [255n, 5n]]);
    assert.deepStrictEqual(await only("SELECT '{}'::simhash[]"), []);
    assert.deepStrictEqual(await only("SELECT ARRAY['', B'101', NULL]::varbit[]"), [new Signature([]), new Signature([0xa0], 3), null]);
    for (const value of [2n ** 64n, -(2n ** 63n) - 1n]) assert.throws(() => fingerprint(value), RangeError);

    const image = new Signature([...Array(32).keys()]);
    const odd = new Signature([0xff, 0xf0], 12);
    assert.deepStrictEqual(await only('SELECT $1::bit(256)', image), image);
    assert.deepStrictEqual(await only('SELECT $1::bit(12)', odd), odd);
    assert.deepStrictEqual(await only('SELECT $1::varbit', odd), odd);
    for (const sql of ["SELECT ''::varbit", "SELECT B''"])
        assert.deepStrictEqual(await only(sql), new Signature([]));
    assert.deepStrictEqual(await only('SELECT $1::varbit', new Signature([])), new Signature([]));
    assert.deepStrictEqual(await only('SELECT $1::bit(256)[]', [image, null]), [image, null]);
    assert.strictEqual(await only('SELECT $1::varbit::text', odd), '111111111111');
    for (const values of [[[], 1], [[0], 9], [[0, 0], 8], [[1], 7]]) assert.throws(() => new Signature(...values), RangeError);

    for (const [a, b, bits] of [[0n, 0n, 0], [-1n, 0n, 64], [2n ** 64n - 1n, -1n, 0], [254n, 255n, 1]]) {
        assert.strictEqual(distance(a, b), bits);
        assert.strictEqual(await only('SELECT $1::simhash <@> $2::simhash', fingerprint(a), fingerprint(b)), bits);
    }
    assert.strictEqual(distance(image, new Signature(Buffer.alloc(32))), await only('SELECT $1::bit(256) <@> $2::bit(256)', image, new Signature(Buffer.alloc(32))));
    for (const [a, b] of [[image, odd], [image, 1n], [1n, odd]]) assert.throws(() => distance(a, b), TypeError);

    // Both have the types of the operators, and an index is used.
    await db.query('CREATE TEMP TABLE item (id int, h simhash, sig bit(256))');
    for (let id = 0; id < 100; id++)
        await db.query('INSERT INTO item VALUES ($1, $2, $3)',
            [id, fingerprint(BigInt.asUintN(64, BigInt(id) * 0x9E3779B97F4A7C15n)), new Signature(Buffer.alloc(32, id))]);
    assert.deepStrictEqual(await only('SELECT array_append(array_agg(h <@> $1 ORDER BY id), NULL) FROM item WHERE id < 2', fingerprint(5n)),
        [2, distance(0x9E3779B97F4A7C15n, 5n), null]);
    await db.query('CREATE INDEX ON item USING simhash (h)');
    await db.query('CREATE INDEX ON item USING simhash (sig)');
    await db.query('SET enable_seqscan = off');
    const near = new Signature([...Array(31).fill(1), 3]);
    for (const [condition, value] of [['h <@> $1 <= 3', fingerprint(0x9E3779B97F4A7C15n ^ 5n)], ['sig <@> $1 <= 1', near]]) {
        assert.deepStrictEqual((await db.query(`SELECT id FROM item WHERE ${condition}`, [value])).rows, [{ id: 1 }]);
        const plan = await db.query(`EXPLAIN SELECT id FROM item WHERE ${condition}`, [value]);
        assert.match(JSON.stringify(plan.rows), /Index Cond/);
    }

    // What has no type of its own is refused: see doc/drivers.md.
    await assert.rejects(db.query('SELECT sig <@> $1 FROM photo', [image.bytes]), /insufficient data left in message/);
    await assert.rejects(db.query('SELECT sig <@> $1 FROM photo', ['0f'.repeat(32)]), /"f" is not a valid binary digit/);

    // In another schema, which has to be named.
    await db.query('BEGIN; CREATE SCHEMA "oth""er"; DROP EXTENSION simhash CASCADE; CREATE EXTENSION simhash SCHEMA "oth""er"');
    await assert.rejects(registerTypes(db), /there is no type simhash/);
    await registerTypes(db, { schema: 'oth"er' });
    assert.deepStrictEqual(await only('SELECT ARRAY[5::"oth""er".hamming_distance]'), [5]);
    await db.query('ROLLBACK');
    await db.end();

    // A pool registers them before it lends a client. Other clients are not changed.
    const pool = new Pool({ verify: (client, done) => registerTypes(client).then(() => done(), done) });
    const found = await Promise.all([1, 2, 3].map(() => pool.query("SELECT '00000000000000ff'::simhash AS h")));
    for (const { rows } of found) assert.strictEqual(rows[0].h, 255n);
    await pool.end();
    const other = new Client();
    await other.connect();
    assert.strictEqual((await other.query("SELECT B'101' AS sig")).rows[0].sig, '101');
    await other.end();
    console.log('passed');
}

main().catch((error) => { console.error(error); process.exit(1); });
