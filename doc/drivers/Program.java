import java.io.StringReader;
import java.sql.*;
import java.util.HexFormat;
import org.postgresql.PGConnection;

public class Program {
    public static void main(String[] arguments) throws Exception {
        String url = arguments.length > 0 ? arguments[0] : "jdbc:postgresql://" + System.getenv().getOrDefault("PGHOST", "localhost")
            + ":" + System.getenv().getOrDefault("PGPORT", "5432") + "/" + System.getenv().getOrDefault("PGDATABASE", "postgres")
            + "?user=" + System.getenv().getOrDefault("PGUSER", System.getProperty("user.name"));
        try (Connection db = DriverManager.getConnection(url)) {
            // Insert a document, and find its near-duplicates.
            PreparedStatement insert = db.prepareStatement("INSERT INTO page (body) VALUES (?)");
            insert.setString(1, "The quick brown fox jumps over the lazy dog");
            insert.executeUpdate();
            PreparedStatement search = db.prepareStatement("SELECT id FROM page WHERE h <@> to_simhash(?) <= 3");
            search.setString(1, "the quick brown fox jumps over the lazy dog!");
            print("page", search);

            // Load fingerprints that were made elsewhere, as 16 hexadecimal digits.
            StringBuilder rows = new StringBuilder();
            for (long n = 1; n <= 1000; n++)
                rows.append(String.format("%d\t%016x\n", n, n * 0x9E3779B97F4A7C15L));
            db.unwrap(PGConnection.class).getCopyAPI().copyIn("COPY image FROM STDIN", new StringReader(rows.toString()));

            // A long has the same bits.
            long query = 0x9E3779B97F4A7C15L ^ 5;
            PreparedStatement within = db.prepareStatement("""
                SELECT id || ':' || (h <@> ?::bigint::simhash) FROM image WHERE h <@> ?::bigint::simhash <= ?""");
            within.setLong(1, query);
            within.setLong(2, query);
            within.setInt(3, 3);
            print("within", within);
            PreparedStatement nearest = db.prepareStatement("""
                SELECT id || ':' || (h <@> ?::bigint::simhash) FROM image ORDER BY h <@> ?::bigint::simhash, id LIMIT 3""");
            nearest.setLong(1, query);
            nearest.setLong(2, query);
            print("nearest", nearest);
            ResultSet value = db.createStatement().executeQuery("SELECT h::bigint FROM image WHERE id = 1");
            value.next();
            System.out.println("value " + Long.toUnsignedString(value.getLong(1)));

            PreparedStatement features = db.prepareStatement("SELECT to_simhash(features(?))");
            features.setArray(1, db.createArrayOf("text", new String[] {"Urgent", "invoice no. 5"}));
            print("features", features);

            // Signatures are sent and read as bytes.
            byte[] signature = new byte[32];
            for (int i = 0; i < signature.length; i++)
                signature[i] = (byte) i;
            insert = db.prepareStatement("INSERT INTO photo VALUES (1, signature_from_bytea(?))");
            insert.setBytes(1, signature);
            insert.executeUpdate();
            signature[0] = 7;
            search = db.prepareStatement("""
                SELECT id || ':' || (sig <@> signature_from_bytea(?)), signature_to_bytea(sig)
                FROM photo WHERE sig <@> signature_from_bytea(?) <= 31""");
            search.setBytes(1, signature);
            search.setBytes(2, signature);
            for (ResultSet found = search.executeQuery(); found.next();)
                System.out.println("signature " + found.getString(1) + " " + HexFormat.of().formatHex(found.getBytes(2)));
        }
    }

    static void print(String name, PreparedStatement query) throws SQLException {
        System.out.print(name);
        for (ResultSet rows = query.executeQuery(); rows.next();)
            System.out.print(" " + rows.getString(1));
        System.out.println();
    }
}
