# Types of the PostgreSQL extension simhash for ActiveRecord.
require "active_record"
require "active_record/connection_adapters/postgresql_adapter"

module PgSimhash
  # Columns of type simhash: unsigned numbers of 64 bits. Signed ones, too, are accepted.
  class FingerprintType < ActiveRecord::Type::Value
    def type = :simhash
    def serialize(value) = cast(value)&.then { |number| PgSimhash.digits(number) }

    private

    # Forms send an empty text for no value.
    def cast_value(value)
      PgSimhash.unsigned(value.is_a?(String) ? Integer(value, 16) : value) unless value == ""
    end
  end

  # Columns of type bit(n), where n is a multiple of 8: strings of bytes. A model declares them:
  # attribute :sig, PgSimhash::SignatureType.new
  class SignatureType < ActiveRecord::Type::Value
    def type = :bit
    def serialize(value) = value && "x#{value.unpack1("H*")}"
    def deserialize(value) = value && [value].pack("B*")
    def changed_in_place?(stored, value) = deserialize(stored) != value&.b
  end

  # Lets models find the type of simhash columns by themselves.
  module Adapter
    def initialize_type_map(map = type_map)
      super
      map.register_type "simhash", FingerprintType.new
    end
  end

  # Searches of a model: class Image < ActiveRecord::Base; extend PgSimhash::Search; end
  module Search
    # Image.within(:h, value, 3): at most so many bits are different.
    def within(column, value, radius) = where("#{hamming_distance(column, value)} <= ?", radius)

    # Page.near(:body, text): the operator ~=.
    def near(column, value) = where("#{operand(column)} ~= #{operand(column, value)}")

    # Image.nearest(:h, value).limit(10): by distance, which each has as an attribute.
    def nearest(column, value)
      distance = hamming_distance(column, value)
      select(arel_table[Arel.star], Arel.sql("#{distance} AS distance")).order(Arel.sql(distance))
    end

    # An expression in SQL.
    def hamming_distance(column, value) = "(#{operand(column)} <@> #{operand(column, value)})"

    private

    def operand(column, *values)
      return "#{quoted_table_name}.#{connection.quote_column_name(column)}" if values.empty?
      connection.quote(type_for_attribute(column.to_s).serialize(values.first))
    end
  end

  def self.unsigned(value)
    raise RangeError, "a fingerprint has 64 bits" unless value.between?(-2**63, 2**64 - 1)
    value % 2**64
  end

  # The text of a simhash: 16 hexadecimal digits.
  def self.digits(value) = format("%016x", unsigned(value))

  # The text of a bit(n), of a string of bytes.
  def self.signature(bytes) = SignatureType.new.serialize(bytes)
end

ActiveRecord::ConnectionAdapters::PostgreSQLAdapter.prepend(PgSimhash::Adapter)
# For migrations and schema.rb: t.simhash :h
ActiveRecord::ConnectionAdapters::PostgreSQLAdapter::NATIVE_DATABASE_TYPES[:simhash] = { name: "simhash" }
[ActiveRecord::ConnectionAdapters::PostgreSQL::TableDefinition, ActiveRecord::ConnectionAdapters::PostgreSQL::Table].each do |table|
  table.send(:define_column_methods, :simhash)
end
