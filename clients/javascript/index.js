'use strict';
// Types of the PostgreSQL extension simhash for node-postgres. The application brings pg; a linked package would not
// find it, so this file does without it.

const BIT = 1560, BIT_ARRAY = 1561, VARBIT = 1562, VARBIT_ARRAY = 1563;

// A BigInt, signed or unsigned, as the text of a simhash: 16 hexadecimal digits.
function fingerprint(value) {
    if (BigInt.asUintN(64, value) !== value && BigInt.asIntN(64, value) !== value)
        throw new RangeError('a fingerprint has 64 bits');
    return BigInt.asUintN(64, value).toString(16).padStart(16, '0');
}

// A value of type bit(n): its bytes, the highest bit first, the last byte filled up with zeros.
class Signature {
    constructor(bytes, bits = 8 * bytes.length) {
        const unused = 8 * bytes.length - bits;
        if (!(unused >= 0 && unused < 8) || bytes[bytes.length - 1] & ((1 << unused) - 1))
            throw new RangeError('the bytes are not those of so many bits');
        this.bytes = Buffer.from(bytes);
        this.bits = bits;
    }

    static parse(digits) {
        const bytes = (digits.match(/.{1,8}/g) ?? []).map((byte) => parseInt(byte.padEnd(8, '0'), 2));
        return new Signature(bytes, digits.length);
    }

    toString() {
        return Array.from(this.bytes, (byte) => byte.toString(2).padStart(8, '0')).join('').slice(0, this.bits);
    }

    // node-postgres calls this for a parameter.
    toPostgres() {
        return this.bits % 8 === 0 ? 'x' + this.bytes.toString('hex') : this.toString();
    }
}

// The Hamming distance of two fingerprints, which are BigInts, or of two signatures of one length.
function distance(a, b) {
    if (a instanceof Signature !== b instanceof Signature || a.bits !== b.bits)
        throw new TypeError('two fingerprints or two signatures of one length have a distance');
    const number = (value) => (value instanceof Signature ? BigInt('0x0' + value.bytes.toString('hex')) : BigInt.asUintN(64, value));
    return (number(a) ^ number(b)).toString(2).replace(/0/g, '').length;
}

// An array of these types as JSON: elements are digits, NULL or "". Bounds may stand in front.
function parseArray(text, parse) {
    const json = text.slice(text.indexOf('{')).replace(/[0-9a-f]+/g, '"$&"').replace(/NULL/g, 'null')
        .replace(/{/g, '[').replace(/}/g, ']');
    return JSON.parse(json, (key, value) => (typeof value === 'string' ? parse(value) : value));
}

function register(client, oid, arrayOid, parse) {
    client.setTypeParser(oid, parse);
    client.setTypeParser(arrayOid, (text) => parseArray(text, parse));
}

// Registers the types on a client. The schema is that of the extension, if it is not in the search path.
async function registerTypes(client, { schema } = {}) {
    const name = schema === undefined ? 'simhash' : `${client.escapeIdentifier(schema)}.simhash`;
    const found = await client.query(`SELECT simhash.oid, simhash.typarray, distance.typarray AS distances
        FROM pg_type simhash JOIN pg_type distance USING (typnamespace)
        WHERE simhash.oid = to_regtype($1) AND distance.typname = 'hamming_distance'`, [name]);
    if (found.rows.length === 0)
        throw new Error('there is no type simhash: CREATE EXTENSION simhash, or name its schema');
    const { oid, typarray, distances } = found.rows[0];
    register(client, oid, typarray, (digits) => BigInt('0x' + digits));
    register(client, BIT, BIT_ARRAY, Signature.parse);
    register(client, VARBIT, VARBIT_ARRAY, Signature.parse);
    // The server sends a domain as its base type, except in arrays.
    client.setTypeParser(distances, (text) => parseArray(text, Number));
}

module.exports = { distance, fingerprint, Signature, registerTypes };
