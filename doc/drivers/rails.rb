require "active_record"

# Fingerprints are unsigned numbers in Ruby.
class FingerprintType < ActiveRecord::Type::Value
  def type = :simhash
  def serialize(value) = value && format("%016x", value)

  private

  def cast_value(value) = value.is_a?(String) ? value.to_i(16) : value
end

class Page < ActiveRecord::Base
  self.table_name = "page"
end

class Image < ActiveRecord::Base
  self.table_name = "image"
  attribute :h, FingerprintType.new

  def self.distance(h) = Arel.sql(sanitize_sql(["h <@> ?", format("%016x", h)]))
end

# Signatures are strings of bytes in Ruby.
class Photo < ActiveRecord::Base
  self.table_name = "photo"

  def self.signature(bytes) = Arel.sql(sanitize_sql(["signature_from_bytea(?)", ActiveModel::Type::Binary::Data.new(bytes)]))
end

ActiveRecord::Base.establish_connection(adapter: "postgresql", database: ENV["PGDATABASE"])

# Insert a document, and find its near-duplicates.
Page.create!(body: "The quick brown fox jumps over the lazy dog")
found = Page.where("h <@> to_simhash(?) <= 3", "the quick brown fox jumps over the lazy dog!")
puts "page #{found.pluck(:id).join(" ")}"

# Load fingerprints that were made elsewhere.
Image.insert_all((1..1000).map { |n| { id: n, h: n * 0x9E3779B97F4A7C15 % 2**64 } })

distance = Image.distance(Image.find(1).h ^ 5)
found = Image.where("#{distance} <= ?", 3).pluck(:id, distance)
puts "within #{found.map { |row| row.join(":") }.join(" ")}"
found = Image.order(distance, :id).limit(3).pluck(:id, distance)
puts "nearest #{found.map { |row| row.join(":") }.join(" ")}"
puts "value #{Image.find(1).h}"

encoded = PG::TextEncoder::Array.new.encode(["Urgent", "invoice no. 5"])
features = Page.connection.select_value(Page.sanitize_sql(["SELECT to_simhash(?::text[])", encoded]))
puts "features #{features}"

signature = (0..31).to_a.pack("C*")
Photo.connection.execute("INSERT INTO photo VALUES (1, #{Photo.signature(signature)})")
distance = Arel.sql("sig <@> #{Photo.signature([7, *1..31].pack("C*"))}")
Photo.where("#{distance} <= 31").pluck(:id, distance, Arel.sql("signature_to_bytea(sig)")).each do |id, bits, data|
  puts "signature #{id}:#{bits} #{data.unpack1("H*")}"
end
