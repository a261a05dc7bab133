#!/bin/sh
# Keeps labels on namespaces as NAMESPACE_LABELS declares them: one line "NAMESPACE KEY=VALUE" for each label.
# One run; `echelon run -- ./namespace-labels.sh` makes an integration of it.
set -eu

server=${KUBE_SERVER:-"https://${KUBERNETES_SERVICE_HOST:-}:${KUBERNETES_SERVICE_PORT:-443}"}
account=$(dirname "$KUBE_SA_TOKEN_PATH")

# The shard that owns a key: its MD5 as one number, modulo SHARDS.
owner() {
  rest=0
  for digit in $(printf %s "$1" | md5sum | cut -c 1-32 | sed 's/./0x& /g'); do
    rest=$(((rest * 16 + digit) % SHARDS))
  done
  echo "$rest"
}

# kube METHOD PATH [CURL OPTION…]: the token is in no list of processes.
kube() {
  method=$1 path=$2
  shift 2
  printf 'header = "Authorization: Bearer %s"\n' "$(cat "$KUBE_SA_TOKEN_PATH")" |
    curl --config - --silent --show-error --fail --max-time 30 --cacert "$account/ca.crt" \
      --request "$method" "$@" "$server$path"
}

# Whether a namespace has a label already.
has() {
  found=$(kube GET "/api/v1/namespaces?fieldSelector=metadata.name%3D$1&labelSelector=$2%3D$3") || return 2
  ! printf %s "$found" | grep -q '"items": *\[ *\]'
}

label() {
  namespace=$1 key=$2 value=$3
  known=0
  has "$namespace" "$key" "$value" || known=$?
  [ "$known" -eq 0 ] && return 0
  [ "$known" -eq 1 ] || return 1
  if [ "$DRY_RUN" != --no-dry-run ]; then
    echo "would set $key=$value on $namespace"
    return 0
  fi
  kube PATCH "/api/v1/namespaces/$namespace" --output /dev/null \
    --header 'content-type: application/merge-patch+json' \
    --data "{\"metadata\":{\"labels\":{\"$key\":\"$value\"}}}" || return 1
  echo "set $key=$value on $namespace"
}

failed=0
while read -r namespace declared; do
  [ -n "$namespace" ] || continue
  [ "$(owner "$namespace")" -eq "$SHARD_ID" ] || continue
  label "$namespace" "${declared%%=*}" "${declared#*=}" || {
    echo "[ERROR] cannot label $namespace"
    failed=1
  }
done <<EOT
${NAMESPACE_LABELS:-}
EOT
exit "$failed"
