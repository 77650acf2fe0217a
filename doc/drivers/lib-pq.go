package main

import (
	"database/sql"
	"fmt"
	"log"
	"strconv"

	"github.com/lib/pq"
)

func main() {
	db, err := sql.Open("postgres", "sslmode=disable")
	check(err)

	// Insert a document, and find its near-duplicates.
	_, err = db.Exec("INSERT INTO page (body) VALUES ($1)", "The quick brown fox jumps over the lazy dog")
	check(err)
	var id int64
	check(db.QueryRow("SELECT id FROM page WHERE h <@> to_simhash($1) <= 3",
		"the quick brown fox jumps over the lazy dog!").Scan(&id))
	fmt.Println("page", id)

	// Load fingerprints that were made elsewhere, as 16 hexadecimal digits.
	transaction, err := db.Begin()
	check(err)
	rows, err := transaction.Prepare(pq.CopyIn("image", "id", "h"))
	check(err)
	for n := uint64(1); n <= 1000; n++ {
		_, err = rows.Exec(n, fmt.Sprintf("%016x", n*0x9E3779B97F4A7C15))
		check(err)
	}
	_, err = rows.Exec()
	check(err)
	check(rows.Close())
	check(transaction.Commit())

	query := fmt.Sprintf("%016x", uint64(0x9E3779B97F4A7C15^5))
	show(db, "within", "SELECT id, h <@> $1 FROM image WHERE h <@> $1 <= $2", query, 3)
	show(db, "nearest", "SELECT id, h <@> $1 AS distance FROM image ORDER BY distance, id LIMIT 3", query)
	var digits string
	check(db.QueryRow("SELECT h FROM image WHERE id = 1").Scan(&digits))
	value, err := strconv.ParseUint(digits, 16, 64)
	check(err)
	fmt.Println("value", value)

	check(db.QueryRow("SELECT to_simhash(features($1::text[]))", pq.Array([]string{"Urgent", "invoice no. 5"})).Scan(&digits))
	fmt.Println("features", digits)

	// Signatures are sent and read as bytes.
	signature := make([]byte, 32)
	for i := range signature {
		signature[i] = byte(i)
	}
	_, err = db.Exec("INSERT INTO photo VALUES (1, signature_from_bytea($1))", signature)
	check(err)
	signature[0] = 7
	var distance int
	check(db.QueryRow(`SELECT id, sig <@> signature_from_bytea($1), signature_to_bytea(sig) FROM photo
		WHERE sig <@> signature_from_bytea($1) <= 31`, signature).Scan(&id, &distance, &signature))
	fmt.Printf("signature %d:%d %x\n", id, distance, signature)
}

func show(db *sql.DB, name, query string, arguments ...any) {
	rows, err := db.Query(query, arguments...)
	check(err)
	fmt.Print(name)
	for rows.Next() {
		var id, distance int
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
