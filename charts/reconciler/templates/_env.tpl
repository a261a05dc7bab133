{{/* An environment variable from a secret. Input: list name secret key optional. */}}
{{- define "reconciler.fromSecret" -}}
- name: {{ index . 0 | quote }}
  valueFrom:
    secretKeyRef:
      name: {{ index . 1 | quote }}
      key: {{ index . 2 | quote }}
      {{- if index . 3 }}
      optional: true
      {{- end }}
{{- end -}}

{{/* Environment variables that have the name of their parameter. */}}
{{- define "reconciler.sameNamed" -}}
{{- range . }}
- name: {{ . }}
  value: ${ {{- . -}} }
{{- end }}
{{- end -}}

{{/* The share of the work of this shard. A cron entry with one static shard does all of it and gets no variables. */}}
{{- define "reconciler.env.shard" -}}
{{- $whole := and .cron (eq (.shard.shards | toString) "1") (not .shard.shard_key) -}}
{{- if and (kindIs "string" .shard.shard_id) (ne .shard.shard_id "") (not $whole) }}
- name: SHARDS
  value: {{ .shard.shards | toString | quote }}
- name: SHARD_ID
  value: {{ .shard.shard_id | quote }}
{{- end }}
{{- with .shard.shard_membership }}
- name: SHARD_MEMBERSHIP
  value: {{ . | quote }}
{{- end }}
{{- if .shard.shard_key }}
- name: SHARD_KEY
  value: {{ .shard.shard_key | quote }}
{{- end }}
{{- end -}}

{{/* Environment variables of every integration. Input: dict "entry" "shard" "cron". */}}
{{- define "reconciler.env" -}}
{{- $entry := .entry -}}
{{- $logs := $entry.logs | default dict -}}
{{- if .cron }}
- name: RUN_ONCE
  value: "true"
{{- else if or $logs.googleChat $logs.govSlack $logs.slackErrorFilter }}
- name: PREFIX_LOG_LEVEL
  value: "true"
{{- end }}
{{- include "reconciler.env.shard" . }}
- name: DRY_RUN
  value: ${DRY_RUN}
{{- with $entry.command }}
- name: COMMAND_NAME
  value: {{ . | quote }}
{{- end }}
{{- if eq $entry.name "integrations-manager" }}
{{- include "reconciler.sameNamed" (list "MANAGER_DRY_RUN" "INTEGRATIONS_MANAGER_UPSTREAM" "INTEGRATIONS_MANAGER_IMAGE" "INTEGRATIONS_MANAGER_IMAGE_TAG_FROM_REF") }}
{{- end }}
- name: INTEGRATION_NAME
  value: {{ $entry.name | quote }}
{{- with .shard.extra_args }}
- name: INTEGRATION_EXTRA_ARGS
  value: {{ . | quote }}
{{- end }}
{{- if not .cron }}
- name: SLEEP_DURATION_SECS
  value: {{ ternary (printf "${%s_SLEEP_DURATION_SECS}" (include "reconciler.prefix" $entry)) "${SLEEP_DURATION_SECS}" (not (empty $entry.sleepDurationSecs)) | quote }}
{{- end }}
{{- range list "GITHUB_API" "SENTRY_DSN" }}
- name: {{ . }}
  valueFrom:
    configMapKeyRef:
      name: app-interface
      key: {{ . }}
      optional: true
{{- end }}
{{- if and (not .cron) (include "reconciler.shipsLogs" $entry) }}
- name: LOG_FILE
  value: ${LOG_FILE}
{{- end }}
{{- if $entry.state }}
{{ include "reconciler.fromSecret" (list "APP_INTERFACE_STATE_BUCKET" "app-interface" "aws.s3.bucket" false) }}
- name: APP_INTERFACE_STATE_BUCKET_ACCOUNT
  value: ${APP_INTERFACE_STATE_BUCKET_ACCOUNT}
{{ include "reconciler.fromSecret" (list "APP_INTERFACE_STATE_BUCKET_REGION" "app-interface" "aws.region" true) }}
- name: AWS_CONFIG_FILE
  value: /aws/config
{{ include "reconciler.fromSecret" (list "APP_INTERFACE_STATE_AWS_PROFILE" "app-interface" "aws.profile.state" true) }}
{{- end }}
{{- if not $entry.disableUnleash }}
{{ include "reconciler.fromSecret" (list "UNLEASH_API_URL" "unleash" "API_URL" true) }}
{{ include "reconciler.fromSecret" (list "UNLEASH_CLIENT_ACCESS_TOKEN" "unleash" "CLIENT_ACCESS_TOKEN" true) }}
{{- end }}
{{- if not .cron }}
{{- include "reconciler.sameNamed" (list "SLOW_OC_RECONCILE_THRESHOLD" "LOG_SLOW_OC_RECONCILE" "USE_NATIVE_CLIENT") }}
{{- end }}
- name: KUBE_SA_TOKEN_PATH
  value: ${KUBE_SA_TOKEN_MOUNT_PATH}/${KUBE_SA_TOKEN_FILENAME}
- name: USED_FOR_SECURITY
  value: ${USED_FOR_SECURITY}
{{- if $entry.environmentAware }}
{{- include "reconciler.sameNamed" (list "ENVIRONMENT_NAME" "IMAGE" "IMAGE_TAG" "IMAGE_DIGEST" "BUSYBOX_IMAGE" "BUSYBOX_IMAGE_TAG" "BUSYBOX_IMAGE_DIGEST" "BUSYBOX_IMAGE_PULL_POLICY" "FLUENTD_IMAGE" "FLUENTD_IMAGE_TAG" "FLUENTD_IMAGE_DIGEST" "FLUENTD_IMAGE_PULL_POLICY" "CLOUDWATCH_SECRET" "INTERNAL_CERTIFICATES_IMAGE" "INTERNAL_CERTIFICATES_IMAGE_TAG" "INTERNAL_CERTIFICATES_IMAGE_DIGEST" "INTERNAL_CERTIFICATES_IMAGE_PULL_POLICY") }}
{{- end }}
{{- if and .cron $entry.dashdotdb }}
{{ include "reconciler.fromSecret" (list "DASHDOTDB_SECRET" "dashdotdb" "AUTH_VAULT_PATH" false) }}
{{- end }}
{{- if and .cron $entry.enablePushgateway }}
- name: PUSHGATEWAY_ENABLED
  value: "true"
{{- range $name, $key := dict "PUSHGATEWAY_URL" "server" "PUSHGATEWAY_USERNAME" "username" "PUSHGATEWAY_PASSWORD" "password" }}
{{ include "reconciler.fromSecret" (list $name "${PUSHGATEWAY_SECRET_NAME}" $key false) }}
{{- end }}
{{- end }}
{{- range $entry.extraEnv }}
{{- if .secretName }}
{{ include "reconciler.fromSecret" (list .secretKey .secretName .secretKey false) }}
{{- else }}
- name: {{ .name | quote }}
  value: {{ .value | toString | quote }}
{{- end }}
{{- end }}
{{- end -}}
