# nix-build packaging: the extension for a PostgreSQL of nixpkgs, to be listed in services.postgresql.extensions.
{ pkgs ? import <nixpkgs> { }, postgresql ? pkgs.postgresql }:
pkgs.stdenv.mkDerivation {
  pname = "simhash";
  version = "1.0.0";
  src = ./..;
  nativeBuildInputs = [ (postgresql.pg_config or postgresql) ];
  buildInputs = [ postgresql pkgs.xxHash ];
  enableParallelBuilding = true;
  installPhase = ''
    install -D -t $out/lib simhash.so
    install -D -m 644 -t $out/share/postgresql/extension simhash.control sql/simhash--*.sql
  '';
  meta = {
    description = "Near-duplicate search for PostgreSQL";
    license = pkgs.lib.licenses.postgresql;
    platforms = postgresql.meta.platforms;
  };
}
