# Needs a database with the extension simhash; PGHOST and the like say where. Prints "passed".
require "pg_simhash"
require "stringio"

def check(condition, what) = condition || abort("failed: #{what}")

def raises(error)
  yield
  abort "no #{error}"
rescue error
end

ActiveRecord::Base.establish_connection(adapter: "postgresql", database: ENV["PGDATABASE"])
db = ActiveRecord::Base.connection
db.create_table(:items) do |t|
  t.simhash :h
  t.bit :sig, limit: 256
  t.text :body
end
db.add_index :items, :h, using: :simhash
db.add_index :items, :sig, using: :simhash

class Item < ActiveRecord::Base
  attribute :sig, PgSimhash::SignatureType.new
  extend PgSimhash::Search
end

check Item.type_for_attribute("h").is_a?(PgSimhash::FingerprintType), "the type of a column is known"
(1..100).each { |n| Item.create!(h: n * 0x9E3779B97F4A7C15 % 2**64, sig: n.chr * 32) }
[0, 3, 2**63, 2**64 - 1, nil].each do |value|
  item = Item.create!(h: value)
  check item.reload.h == value, "#{value.inspect} is read as it was written"
  check Item.find_by!(h: value).h == value, "#{value.inspect} is found"
  item.destroy!
end
check Item.create!(h: -2).reload.h == 2**64 - 2, "signed numbers"
check Item.create!(h: "00000000000000ff").reload.h == 255, "digits"
raises(RangeError) { Item.create!(h: 2**64) }
check Item.find(7).sig == "\7".b * 32, "bytes are read as they were written"
check Item.find_by!(sig: "\7".b * 32).id == 7, "bytes are found"
check !Item.find(7).tap { |item| item.sig = "\7".b * 32 }.changed?, "no change"
item = Item.find(7).tap { |found| found.sig.setbyte(0, 0) }
check item.changed? && item.save && item.reload.sig.getbyte(0) == 0, "bytes changed in place are saved"
check !Item.create!(sig: nil).tap(&:reload).changed?, "no signature, no change"
check Item.create!(h: "").reload.h.nil? && Item.where(h: "").none?, "an empty field of a form is no fingerprint"
raises(RangeError) { Item.new(h: "1ffffffffffffffff").h }
arrays = Item.where(id: 1..2).pick(Arel.sql("array_agg(h ORDER BY id)"), Arel.sql("array_agg(h <@> h) AS distances"))
check arrays == [[0x9E3779B97F4A7C15, 2 * 0x9E3779B97F4A7C15 % 2**64], [0, 0]], "arrays: #{arrays}"

db.execute("SET enable_seqscan = off")
near = { "h <@> ? <= 3" => PgSimhash.digits(0x9E3779B97F4A7C15 ^ 5), "sig <@> ? <= 1" => PgSimhash.signature("\1" * 31 + "\3") }
near.each do |condition, value|
  found = Item.where(condition, value)
  check found.pluck(:id) == [1], condition
  check db.select_values("EXPLAIN #{found.to_sql}").join.include?("Index Cond"), "#{condition} uses the index"
end

{ h: 0x9E3779B97F4A7C15 ^ 5, sig: "\1" * 31 + "\3" }.each do |column, value|
  found = Item.within(column, value, 3)
  check found.pluck(:id) == [1], "#{column} within 3"
  check db.select_values("EXPLAIN #{found.to_sql}").join.include?("Index Cond"), "#{column} uses the index"
  found = Item.nearest(column, value).limit(3)
  check found.map(&:id).first == 1, "#{column}: the nearest"
  check found.map(&:distance) == found.map(&:distance).sort && found.first.distance == (column == :h ? 2 : 1), "#{column}: its distance"
  check db.select_values("EXPLAIN #{found.to_sql}").join.include?("Order By"), "#{column}: the nearest by the index"
end
Item.find(1).update!(body: "It's the quick brown fox that jumps over the lazy dog")
check Item.near(:body, "it's the QUICK brown fox that jumps over the lazy dog!").pluck(:id) == [1], "texts"
check Item.near(:h, 0x9E3779B97F4A7C15 ^ 5).where(id: 1..5).pluck(:id) == [1], "near fingerprints"
check Item.joins("CROSS JOIN items other").where("other.id = 2").near(:h, 0x9E3779B97F4A7C15).count == 1, "columns are of the model's table"

# Only the table of this test: Rails 6.1 cannot dump the generated column of page.
ActiveRecord::SchemaDumper.ignore_tables = db.tables - ["items"]
schema = StringIO.new
ActiveRecord::SchemaDumper.dump(ActiveRecord::VERSION::STRING < "7.2" ? db : ActiveRecord::Base.connection_pool, schema)
ActiveRecord::Schema.verbose = false
db.drop_table(:items)
eval(schema.string)
types = db.columns(:items).map(&:sql_type)
check types == ["bigint", "simhash", "bit(256)", "text"], "schema.rb makes the same columns: #{types}"
check db.indexes(:items).map(&:using) == %i[simhash simhash], "schema.rb makes the same indexes"
puts "passed"
