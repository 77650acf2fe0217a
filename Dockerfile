# The official image with the extensions: docker build --build-arg PG_MAJOR=17 -t postgres-simhash .
# CREATE EXTENSION simhash is still to be run in each database.
ARG PG_MAJOR=17
FROM postgres:${PG_MAJOR}-bookworm AS build
RUN apt-get update \
    && apt-get install -y --no-install-recommends build-essential libxxhash-dev postgresql-server-dev-${PG_MAJOR}
COPY . /simhash
RUN mkdir -p /build/compat \
    && for directory in "" /compat; do \
        make -C /build$directory -f /simhash$directory/Makefile -j"$(nproc)" \
            PG_CONFIG=/usr/lib/postgresql/${PG_MAJOR}/bin/pg_config all install DESTDIR=/root-of-simhash || exit; \
    done

FROM postgres:${PG_MAJOR}-bookworm
COPY --from=build /root-of-simhash/ /
