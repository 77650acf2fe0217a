// Dependencies: bytes = "1"; tokio = { version = "1", features = ["macros", "rt"] }; tokio-postgres = "0.7".
use bytes::{BufMut, BytesMut};
use std::error::Error;
use tokio_postgres::binary_copy::BinaryCopyInWriter;
use tokio_postgres::types::{to_sql_checked, FromSql, IsNull, ToSql, Type};
use tokio_postgres::NoTls;

type AnyError = Box<dyn Error + Sync + Send>;

#[derive(Clone, Copy, Debug)]
struct Fingerprint(u64);

impl ToSql for Fingerprint {
    fn to_sql(&self, _: &Type, out: &mut BytesMut) -> Result<IsNull, AnyError> {
        out.put_u64(self.0);
        Ok(IsNull::No)
    }
    fn accepts(ty: &Type) -> bool {
        ty.name() == "simhash"
    }
    to_sql_checked!();
}

impl<'a> FromSql<'a> for Fingerprint {
    fn from_sql(_: &Type, raw: &'a [u8]) -> Result<Self, AnyError> {
        Ok(Fingerprint(u64::from_be_bytes(raw.try_into()?)))
    }
    fn accepts(ty: &Type) -> bool {
        ty.name() == "simhash"
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), AnyError> {
    let parameters = std::env::args().nth(1).ok_or("which database?")?;
    let (mut db, connection) = tokio_postgres::connect(&parameters, NoTls).await?;
    tokio::spawn(connection);

    // Insert a document, and find its near-duplicates.
    db.execute("INSERT INTO page (body) VALUES ($1)", &[&"The quick brown fox jumps over the lazy dog"]).await?;
    let text = "the quick brown fox jumps over the lazy dog!";
    let row = db.query_one("SELECT id FROM page WHERE h <@> to_simhash($1) <= 3", &[&text]).await?;
    println!("page {}", row.get::<_, i64>(0));

    // Load fingerprints that were made elsewhere.
    let transaction = db.transaction().await?;
    let simhash = transaction.prepare("SELECT h FROM image").await?.columns()[0].type_().clone();
    let sink = transaction.copy_in("COPY image FROM STDIN (FORMAT binary)").await?;
    let mut writer = Box::pin(BinaryCopyInWriter::new(sink, &[Type::INT8, simhash]));
    for n in 1..=1000_i64 {
        let h = Fingerprint((n as u64).wrapping_mul(0x9E3779B97F4A7C15));
        writer.as_mut().write(&[&n, &h]).await?;
    }
    writer.as_mut().finish().await?;
    transaction.commit().await?;

    // The radius is of the type hamming_distance, which has no conversion from i32: cast it.
    let query = Fingerprint(0x9E3779B97F4A7C15 ^ 5);
    let sql = "SELECT id, h <@> $1 FROM image WHERE h <@> $1 <= $2::int";
    print!("within");
    for row in db.query(sql, &[&query, &3]).await? {
        print!(" {}:{}", row.get::<_, i64>(0), row.get::<_, i32>(1));
    }
    let sql = "SELECT id, h <@> $1 AS distance FROM image ORDER BY distance, id LIMIT 3";
    print!("\nnearest");
    for row in db.query(sql, &[&query]).await? {
        print!(" {}:{}", row.get::<_, i64>(0), row.get::<_, i32>(1));
    }
    let value: Fingerprint = db.query_one("SELECT h FROM image WHERE id = 1", &[]).await?.get(0);
    println!("\nvalue {}", value.0);

    let features = vec!["Urgent", "invoice no. 5"];
    let value: Fingerprint = db.query_one("SELECT to_simhash(features($1::text[]))", &[&features]).await?.get(0);
    println!("features {:016x}", value.0);

    // Signatures are sent and read as bytes.
    let mut signature: Vec<u8> = (0..32).collect();
    db.execute("INSERT INTO photo VALUES (1, signature_from_bytea($1))", &[&signature]).await?;
    signature[0] = 7;
    let sql = "SELECT id, sig <@> signature_from_bytea($1), signature_to_bytea(sig) FROM photo
               WHERE sig <@> signature_from_bytea($1) <= 31";
    for row in db.query(sql, &[&signature]).await? {
        let digits: String = row.get::<_, &[u8]>(2).iter().map(|byte| format!("{byte:02x}")).collect();
        println!("signature {}:{} {digits}", row.get::<_, i64>(0), row.get::<_, i32>(1));
    }
    Ok(())
}
