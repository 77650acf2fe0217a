require "active_record"
require "pg_simhash" # clients/ruby

class Page < ActiveRecord::Base
  self.table_name = "page"
end

class Image < ActiveRecord::Base
  self.table_name = "image"

  def self.distance(h) = Arel.sql(sanitize_sql(["h <@> ?", PgSimhash.digits(h)]))
end

class Photo < ActiveRecord::Base
  self.table_name = "photo"
  attribute :sig, PgSimhash::SignatureType.new

  def self.distance(sig) = Arel.sql(sanitize_sql(["sig <@> ?", PgSimhash.signature(sig)]))
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
features = Page.connection.select_value(Page.sanitize_sql(["SELECT to_simhash(features(?::text[]))", encoded]))
puts "features #{features}"

# Signatures are strings of bytes in Ruby.
Photo.create!(id: 1, sig: (0..31).to_a.pack("C*"))
distance = Photo.distance([7, *1..31].pack("C*"))
Photo.where("#{distance} <= 31").pluck(:id, distance, :sig).each do |id, bits, sig|
  puts "signature #{id}:#{bits} #{sig.unpack1("H*")}"
end
