package main

import (
	"context"
	"encoding/binary"
	"fmt"
	"log"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
)

// Fingerprints are 8 bytes, as in their binary form.
func fingerprint(h uint64) []byte { return binary.BigEndian.AppendUint64(nil, h) }

func main() {
	ctx := context.Background()
	db, err := pgx.Connect(ctx, "")
	check(err)
	var oid uint32
	check(db.QueryRow(ctx, "SELECT 'simhash'::regtype::oid").Scan(&oid))
	db.TypeMap().RegisterType(&pgtype.Type{Name: "simhash", OID: oid, Codec: pgtype.ByteaCodec{}})

	// Insert a document, and find its near-duplicates.
	_, err = db.Exec(ctx, "INSERT INTO page (body) VALUES ($1)", "The quick brown fox jumps over the lazy dog")
	check(err)
	var id int64
	check(db.QueryRow(ctx, "SELECT id FROM page WHERE h <@> to_simhash($1) <= 3",
		"the quick brown fox jumps over the lazy dog!").Scan(&id))
	fmt.Println("page", id)

	// Load fingerprints that were made elsewhere.
	var rows [][]any
	for n := uint64(1); n <= 1000; n++ {
		rows = append(rows, []any{int64(n), fingerprint(n * 0x9E3779B97F4A7C15)})
	}
	_, err = db.CopyFrom(ctx, pgx.Identifier{"image"}, []string{"id", "h"}, pgx.CopyFromRows(rows))
	check(err)

	query := fingerprint(0x9E3779B97F4A7C15 ^ 5)
	show(ctx, db, "within", "SELECT id, h <@> $1 FROM image WHERE h <@> $1 <= $2::int", query, 3)
	show(ctx, db, "nearest", "SELECT id, h <@> $1 AS distance FROM image ORDER BY distance, id LIMIT 3", query)
	var value []byte
	check(db.QueryRow(ctx, "SELECT h FROM image WHERE id = 1").Scan(&value))
	fmt.Println("value", binary.BigEndian.Uint64(value))

	check(db.QueryRow(ctx, "SELECT to_simhash(features($1::text[]))", []string{"Urgent", "invoice no. 5"}).Scan(&value))
	fmt.Printf("features %x\n", value)

	// Signatures are sent and read as bytes.
	signature := make([]byte, 32)
	for i := range signature {
		signature[i] = byte(i)
	}
	_, err = db.Exec(ctx, "INSERT INTO photo VALUES (1, signature_from_bytea($1))", signature)
	check(err)
	signature[0] = 7
	var distance int
	check(db.QueryRow(ctx, `SELECT id, sig <@> signature_from_bytea($1), signature_to_bytea(sig) FROM photo
		WHERE sig <@> signature_from_bytea($1) <= 31`, signature).Scan(&id, &distance, &value))
	fmt.Printf("signature %d:%d %x\n", id, distance, value)
}

func show(ctx context.Context, db *pgx.Conn, name, sql string, arguments ...any) {
	rows, err := db.Query(ctx, sql, arguments...)
	check(err)
	fmt.Print(name)
	for rows.Next() {
		var id int64
		var distance int
		check(rows.Scan(&id, &distance))
		fmt.Printf(" %d:%d", id, distance)
	}
	check(rows.Err())
	fmt.Println()
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
