#!/bin/sh
# Writes env/*.env for compose.yaml: each server's settings and new passwords. Existing files stay.
set -eu
umask 077
folder=${1:-$(dirname "$0")/env}
mkdir -p "$folder"

secret() { head -c 32 /dev/urandom | od -An -tx1 | tr -d ' \n'; }

# write NAME: the standard input becomes env/NAME.env, unless it is there.
write() {
    if [ -e "$folder/$1.env" ]; then
        cat >/dev/null
        echo "kept $folder/$1.env" >&2
    else
        cat >"$folder/$1.env"
        echo "wrote $folder/$1.env" >&2
    fi
}

count=$(find "$folder" -name '*.env' | wc -l)
if [ "$count" -gt 0 ] && [ "$count" -lt 5 ]; then
    echo "$folder has some of the five files: delete them all, or bring the others back" >&2
    exit 1
fi

postgres=$(secret) rabbitmq=$(secret) mongo=$(secret) s3_id=$(secret | head -c 20) s3_key=$(secret)

write postgres <<END
POSTGRES_USER=footy
POSTGRES_PASSWORD=$postgres
POSTGRES_DB=dagster
END
write rabbitmq <<END
RABBITMQ_DEFAULT_USER=footy
RABBITMQ_DEFAULT_PASS=$rabbitmq
RABBITMQ_DEFAULT_VHOST=footy
END
write mongo <<END
MONGO_INITDB_ROOT_USERNAME=footy
MONGO_INITDB_ROOT_PASSWORD=$mongo
MONGO_KEY=$(secret)
END
write s3 <<END
AWS_ACCESS_KEY_ID=$s3_id
AWS_SECRET_ACCESS_KEY=$s3_key
END
write footy <<END
FOOTY_DAGSTER_POSTGRES_URL=postgresql://footy:$postgres@postgres:5432/dagster
FOOTY_BROKER_URL=amqp://footy:$rabbitmq@rabbitmq:5672/footy
FOOTY_MONGO_URI=mongodb://footy:$mongo@mongo:27017/?replicaSet=rs0&authSource=admin
FOOTY_S3_ENDPOINT_URL=http://s3:8333
FOOTY_S3_ACCESS_KEY_ID=$s3_id
FOOTY_S3_SECRET_ACCESS_KEY=$s3_key
# The password of both web servers, with any user name.
FOOTY_API_TOKEN=$(secret)
# ESPN needs no key. With a key of API-Football, set FOOTY_API_FOOTBALL_KEY instead.
FOOTY_PROVIDER=espn
# Slots of all clip workers together; one fills a core.
FOOTY_CLIP_RUNS=2
END
