#!/usr/bin/env bash
# A screen, the search service with its browser on it, and, only if asked for, VNC to look at that screen.
#
#   X_SEARCH_VNC=on           let a person see and use the screen, to log in by hand
#   X_SEARCH_VNC_HOST         address VNC listens on (127.0.0.1; the image says 0.0.0.0, and publishes it to loopback)
#   X_SEARCH_VNC_PORT         5900
#   X_SEARCH_SCREEN           1280x900x24
#
# Everything secret lies in X_SEARCH_DATA_DIR, readable by its owner only: cookies.json, token, vnc-password.
set -euo pipefail
umask 077

: "${X_SEARCH_DATA_DIR:?says where the browser profile and the cookies are kept}"
screen=${X_SEARCH_SCREEN:-1280x900x24}
vnc_host=${X_SEARCH_VNC_HOST:-127.0.0.1}
vnc_port=${X_SEARCH_VNC_PORT:-5900}
export X_SEARCH_DATA_DIR FOOTY_XSEARCH__HEADLESS=false

mkdir -p "$X_SEARCH_DATA_DIR"
run=$(mktemp -d)
children=()

say() { printf '{"level":"info","module":"xsearch.start","msg":"%s"}\n' "$*" >&2; }

finish() {
  for child in "${children[@]}"; do kill "$child" 2>/dev/null || true; done
  rm -rf "$run"
}
trap finish EXIT

random_word() { head -c 48 /dev/urandom | base64 | tr -dc 'A-Za-z0-9' | head -c "$1"; }

# Only who can read the cookie of the screen may draw on it, or read it.
start_screen() {
  local number secret
  export XAUTHORITY="$run/xauthority"
  secret=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
  xauth -q -f "$XAUTHORITY" add :0 . "$secret" 2>/dev/null
  mkfifo "$run/display"
  Xvfb -displayfd 3 -screen 0 "$screen" -nolisten tcp -auth "$XAUTHORITY" 3>"$run/display" 2>"$run/xvfb.log" &
  children+=($!)
  read -r number <"$run/display" || { cat "$run/xvfb.log" >&2; exit 1; }
  xauth -q -f "$XAUTHORITY" add ":$number" . "$secret"
  export DISPLAY=":$number"
}

start_vnc() {
  local file="$X_SEARCH_DATA_DIR/vnc-password"
  [ -s "$file" ] || random_word 8 >"$file"
  # By file: arguments can be read by every user of the machine.
  x11vnc -display "$DISPLAY" -auth "$XAUTHORITY" -passwdfile "$file" -listen "$vnc_host" -rfbport "$vnc_port" \
    -forever -noipv6 -noxdamage -nowf -quiet >"$run/vnc.log" 2>&1 &
  children+=($!)
  say "VNC on $vnc_host:$vnc_port; its password is in $file"
}

# A container is reached from outside itself, so changing the session needs a token there.
ensure_token() {
  [ -n "${X_SEARCH_TOKEN:-}${X_SEARCH_TOKEN_FILE:-}" ] && return
  [ -s "$X_SEARCH_DATA_DIR/token" ] || random_word 32 >"$X_SEARCH_DATA_DIR/token"
  export X_SEARCH_TOKEN_FILE="$X_SEARCH_DATA_DIR/token"
  say "the token to change the session is in $X_SEARCH_DATA_DIR/token"
}

start_screen
if [ "${X_SEARCH_VNC:-off}" = on ]; then start_vnc; fi
if [ "${FOOTY_XSEARCH__HOST:-127.0.0.1}" != 127.0.0.1 ]; then ensure_token; fi

found-footy xsearch "$@" &
service=$!
# The service finishes the search under way before it ends; the screen has to stay until then.
trap 'kill -TERM "$service" 2>/dev/null || true' TERM INT

status=0
while kill -0 "$service" 2>/dev/null; do
  wait "$service" && status=0 || status=$?
done
exit "$status"
