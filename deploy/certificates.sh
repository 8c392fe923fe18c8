#!/bin/sh
# Makes a certificate authority, and certificates for PostgreSQL and NATS, in FOLDER. Existing files
# are kept.
#   deploy/certificates.sh FOLDER [HOST...]
# Makes one certificate per HOST; by default for `postgres` and `nats`.
set -eu
folder=$1
shift
[ $# -gt 0 ] || set -- postgres nats
cd "$folder"
umask 077
new="req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes"
if [ ! -f ca.pem ]; then
    openssl $new -x509 -days 3650 -subj "/CN=Parlour" -addext keyUsage=critical,keyCertSign \
        -keyout ca.key -out ca.pem
fi
for host in "$@"; do
    [ -f "$host.pem" ] && continue
    openssl $new -subj "/CN=$host" -keyout "$host.key" -out "$host.csr"
    printf '%s\n' "subjectAltName=DNS:$host" authorityKeyIdentifier=keyid \
        basicConstraints=CA:FALSE extendedKeyUsage=serverAuth > "$host.ext"
    openssl x509 -req -days 3650 -in "$host.csr" -extfile "$host.ext" \
        -CA ca.pem -CAkey ca.key -CAcreateserial -out "$host.pem"
    rm "$host.csr" "$host.ext"
done
chmod a+r ./*.pem
