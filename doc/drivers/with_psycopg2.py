import io
import psycopg2

db = psycopg2.connect("")
cursor = db.cursor()

# Insert a document, and find its near-duplicates.
cursor.execute("INSERT INTO page (body) VALUES (%s)", ["The quick brown fox jumps over the lazy dog"])
cursor.execute("SELECT id FROM page WHERE h <@> to_simhash(%s) <= 3", ["the quick brown fox jumps over the lazy dog!"])
print("page", *[id for (id,) in cursor])

# Load fingerprints that were made elsewhere: unsigned numbers, as 16 hexadecimal digits.
image = [(n, n * 0x9E3779B97F4A7C15 % 2**64) for n in range(1, 1001)]
rows = io.StringIO("".join(f"{id}\t{h:016x}\n" for id, h in image))
cursor.copy_expert("COPY image FROM STDIN", rows)
db.commit()

query = f"{image[0][1] ^ 5:016x}"
cursor.execute("SELECT id, h <@> %s FROM image WHERE h <@> %s <= %s", [query, query, 3])
print("within", *[f"{id}:{distance}" for id, distance in cursor])
cursor.execute("SELECT id, h <@> %s AS distance FROM image ORDER BY distance, id LIMIT 3", [query])
print("nearest", *[f"{id}:{distance}" for id, distance in cursor])

# Fingerprints come as 16 hexadecimal digits.
cursor.execute("SELECT h FROM image WHERE id = 1")
print("value", int(cursor.fetchone()[0], 16))

cursor.execute("SELECT to_simhash(features(%s::text[]))", [["Urgent", "invoice no. 5"]])
print("features", cursor.fetchone()[0])

# Signatures are sent and read as bytes.
cursor.execute("INSERT INTO photo VALUES (1, signature_from_bytea(%s))", [bytes(range(32))])
query = bytes([7, *range(1, 32)])
cursor.execute("""SELECT id, sig <@> signature_from_bytea(%s), signature_to_bytea(sig) FROM photo
                  WHERE sig <@> signature_from_bytea(%s) <= 31""", [query, query])
for id, distance, data in cursor:
    print("signature", f"{id}:{distance}", data.hex())
