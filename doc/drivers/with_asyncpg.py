import asyncio
import asyncpg

async def main():
    db = await asyncpg.connect()
    await db.set_type_codec("simhash", format="binary", encoder=lambda h: h.to_bytes(8, "big"),
                            decoder=lambda data: int.from_bytes(data, "big"))

    # Insert a document, and find its near-duplicates.
    await db.execute("INSERT INTO page (body) VALUES ($1)", "The quick brown fox jumps over the lazy dog")
    found = await db.fetch("SELECT id FROM page WHERE h <@> to_simhash($1) <= 3",
                           "the quick brown fox jumps over the lazy dog!")
    print("page", *[row["id"] for row in found])

    # Load fingerprints that were made elsewhere: unsigned numbers.
    image = [(n, n * 0x9E3779B97F4A7C15 % 2**64) for n in range(1, 1001)]
    await db.copy_records_to_table("image", records=image)

    query = image[0][1] ^ 5
    found = await db.fetch("SELECT id, h <@> $1 AS distance FROM image WHERE h <@> $1 <= $2", query, 3)
    print("within", *[f"{row['id']}:{row['distance']}" for row in found])
    found = await db.fetch("SELECT id, h <@> $1 AS distance FROM image ORDER BY distance, id LIMIT 3", query)
    print("nearest", *[f"{row['id']}:{row['distance']}" for row in found])
    print("value", await db.fetchval("SELECT h FROM image WHERE id = 1"))

    features = await db.fetchval("SELECT to_simhash(features($1::text[]))", ["Urgent", "invoice no. 5"])
    print("features", f"{features:016x}")

    # Signatures are sent and read as bytes.
    await db.execute("INSERT INTO photo VALUES (1, signature_from_bytea($1))", bytes(range(32)))
    found = await db.fetch("""SELECT id, sig <@> signature_from_bytea($1) AS distance, signature_to_bytea(sig) AS data
                              FROM photo WHERE sig <@> signature_from_bytea($1) <= 31""", bytes([7, *range(1, 32)]))
    for row in found:
        print("signature", f"{row['id']}:{row['distance']}", row["data"].hex())
    await db.close()

asyncio.run(main())
