#!/bin/sh
# Makes random secrets for deploy/compose.yaml, once: deploy/make-secrets.sh [folder]. Keys of your own (API-Football, the vision
# server: LLAMA_API_KEY_FILE=/run/secrets/llama_api_key) are empty files until you fill them. The folder is closed to others; the files are readable, because containers
# read them as users of their own.
set -eu
folder=${1:-$(dirname "$0")/secrets}
umask 077
mkdir -p "$folder"

random() { od -An -N"$1" -tx1 /dev/urandom | tr -d ' \n'; }
keep() { # name, content: an existing file stays
    [ -e "$folder/$1" ] || printf '%s' "$2" >"$folder/$1"
    chmod 0444 "$folder/$1"
}

keep postgres_password "$(random 24)"
keep mongodb_password "$(random 24)"
keep mongodb_keyfile "$(random 128)"
keep mongodb_uri "mongodb://root:$(cat "$folder/mongodb_password")@mongodb:27017/?replicaSet=rs0&authSource=admin"
keep s3_access_key "$(random 10)"
keep s3_secret_key "$(random 24)"
keep s3_config "{\"identities\": [{\"name\": \"found-footy\", \"credentials\": [{\"accessKey\": \"$(cat "$folder/s3_access_key")\", \"secretKey\": \"$(cat "$folder/s3_secret_key")\"}], \"actions\": [\"Admin\", \"Read\", \"Write\", \"List\", \"Tagging\"]}]}"
nats_password=$(random 24)
keep nats_config "{ jetstream: { store_dir: \"/data\" }, authorization: { user: \"found-footy\", password: \"$nats_password\" } }"
keep nats_url "nats://found-footy:$nats_password@nats:4222"
keep admin_token "$(random 24)"
keep x_search_token "$(random 24)"
keep api_football_key ""
keep llama_api_key ""
