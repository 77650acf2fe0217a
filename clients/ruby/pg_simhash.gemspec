Gem::Specification.new do |gem|
  gem.name = "pg_simhash"
  gem.version = "1.0.0"
  gem.summary = "Types of the PostgreSQL extension simhash for ActiveRecord"
  gem.license = "PostgreSQL"
  gem.authors = ["the simhash authors"]
  gem.files = ["lib/pg_simhash.rb", "README.md", "LICENSE"]
  gem.required_ruby_version = ">= 3.0"
  gem.add_dependency "activerecord", ">= 6.1"
  gem.add_dependency "pg", ">= 1.1"
end
