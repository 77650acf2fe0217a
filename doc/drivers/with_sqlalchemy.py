from sqlalchemy import BigInteger, Column, Identity, Index, MetaData, Table, Text
from sqlalchemy import cast, create_engine, func, insert, select
from sqlalchemy.dialects.postgresql import ARRAY
from pg_simhash.sqlalchemy import Bits, Simhash     # clients/python

page = Table("page", MetaData(), Column("id", BigInteger, Identity(), primary_key=True), Column("body", Text),
             Column("h", Simhash))
image = Table("image", page.metadata, Column("id", BigInteger, primary_key=True), Column("h", Simhash))
Index("image_h", image.c.h, postgresql_using="simhash")
photo = Table("photo", page.metadata, Column("id", BigInteger, primary_key=True), Column("sig", Bits(256)))

engine = create_engine("postgresql+psycopg2://")
with engine.begin() as db:
    # Insert a document, and find its near-duplicates.
    db.execute(insert(page), [{"body": "The quick brown fox jumps over the lazy dog"}])
    text = "the quick brown fox jumps over the lazy dog!"
    found = db.execute(select(page.c.id).where(page.c.h.distance(func.to_simhash(text, type_=Simhash)) <= 3))
    print("page", *found.scalars())

    # Load fingerprints that were made elsewhere.
    rows = [{"id": n, "h": n * 0x9E3779B97F4A7C15 % 2**64} for n in range(1, 1001)]
    db.execute(insert(image), rows)

    distance = image.c.h.distance(rows[0]["h"] ^ 5)
    found = db.execute(select(image.c.id, distance).where(distance <= 3))
    print("within", *[f"{id}:{bits}" for id, bits in found])
    found = db.execute(select(image.c.id, distance).order_by(distance, image.c.id).limit(3))
    print("nearest", *[f"{id}:{bits}" for id, bits in found])
    print("value", db.execute(select(image.c.h).where(image.c.id == 1)).scalar())

    features = cast(["Urgent", "invoice no. 5"], ARRAY(Text))
    print("features", f"{db.execute(select(func.to_simhash(func.features(features), type_=Simhash))).scalar():016x}")

    # Signatures are bytes.
    db.execute(insert(photo).values(id=1, sig=bytes(range(32))))
    query = bytes([7, *range(1, 32)])
    for id, bits, sig in db.execute(select(photo.c.id, photo.c.sig.distance(query), photo.c.sig).where(photo.c.sig.within(query, 31))):
        print("signature", f"{id}:{bits}", sig.data.hex())
