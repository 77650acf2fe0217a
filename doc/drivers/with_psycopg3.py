import psycopg
from pg_simhash import Fingerprint, Signature, register_simhash     # clients/python

with psycopg.connect() as db:
    register_simhash(db)

    # Insert a document, and find its near-duplicates.
    db.execute("INSERT INTO page (body) VALUES (%s)", ["The quick brown fox jumps over the lazy dog"])
    found = db.execute("SELECT id FROM page WHERE h <@> to_simhash(%s) <= 3",
                       ["the quick brown fox jumps over the lazy dog!"])
    print("page", *[id for (id,) in found])

    # Load fingerprints that were made elsewhere.
    image = [(n, Fingerprint(n * 0x9E3779B97F4A7C15 % 2**64)) for n in range(1, 1001)]
    with db.cursor().copy("COPY image FROM STDIN (FORMAT binary)") as copy:
        copy.set_types(["bigint", "simhash"])
        for row in image:
            copy.write_row(row)

    query = Fingerprint(image[0][1] ^ 5)
    found = db.execute("SELECT id, h <@> %s FROM image WHERE h <@> %s <= %s", [query, query, 3])
    print("within", *[f"{id}:{distance}" for id, distance in found])
    found = db.execute("SELECT id, h <@> %s AS distance FROM image ORDER BY distance, id LIMIT 3", [query])
    print("nearest", *[f"{id}:{distance}" for id, distance in found])
    print("value", *db.execute("SELECT h FROM image WHERE id = 1").fetchone())

    found = db.execute("SELECT to_simhash(features(%s::text[]))", [["Urgent", "invoice no. 5"]])
    print("features", f"{found.fetchone()[0]:016x}")

    # Signatures are made of bytes.
    db.execute("INSERT INTO photo VALUES (1, %s)", [Signature(bytes(range(32)))])
    query = Signature(bytes([7, *range(1, 32)]))
    found = db.execute("SELECT id, sig <@> %s, sig FROM photo WHERE sig <@> %s <= 31", [query, query])
    for id, distance, signature in found:
        print("signature", f"{id}:{distance}", signature.data.hex())
