{{/* Object name of a shard. Input: dict "entry" "shard". */}}
{{- define "reconciler.name" -}}
qontract-reconcile-{{ .entry.name }}{{ .shard.shard_name_suffix }}
{{- end -}}

{{/* The label that distinguishes the shards of one integration. */}}
{{- define "reconciler.shard" -}}
{{ .shard.shard_name_suffix | trimPrefix "-" | default "all" }}
{{- end -}}

{{/* Prefix of the parameters of one integration. */}}
{{- define "reconciler.prefix" -}}
{{ .name | upper | replace "-" "_" }}
{{- end -}}

{{/* Image of the integration's container: the shard's own, the integration's own, or the default of the release. */}}
{{- define "reconciler.image" -}}
{{- $override := .shard.shard_spec_overrides | default dict -}}
{{- $own := $override.imageRef | default .entry.imageRef -}}
{{- if $own -}}
${IMAGE}:{{ $own }}
{{- else -}}
${IMAGE}:${IMAGE_TAG}@${IMAGE_DIGEST}
{{- end -}}
{{- end -}}

{{/* Resources: those of the shard unchanged, else parameters of the integration, which an environment may set. */}}
{{- define "reconciler.resources" -}}
{{- $override := (.shard.shard_spec_overrides | default dict).resources -}}
{{- $prefix := include "reconciler.prefix" .entry -}}
{{- $given := $override | default .entry.resources -}}
{{- range $kind, $suffix := dict "limits" "LIMIT" "requests" "REQUEST" }}
{{- with (get $given $kind) }}
{{ $kind }}:
  {{- range $name := list "cpu" "memory" }}
  {{- with (get (get $given $kind) $name) }}
  {{ $name }}: {{ ternary (. | toString) (printf "${%s_%s_%s}" $prefix (upper $name) $suffix) (not (empty $override)) | quote }}
  {{- end }}
  {{- end }}
{{- end }}
{{- end }}
{{- end -}}

{{/* Whether logs are shipped to CloudWatch: on unless switched off. */}}
{{- define "reconciler.cloudwatch" -}}
{{- $logs := .logs | default dict -}}
{{- if ne (toString $logs.cloudwatch) "false" -}}yes{{- end -}}
{{- end -}}

{{/* Whether logs are shipped at all. */}}
{{- define "reconciler.shipsLogs" -}}
{{- $logs := .logs | default dict -}}
{{- if or (include "reconciler.cloudwatch" .) $logs.slack $logs.googleChat $logs.govSlack $logs.slackErrorFilter -}}yes{{- end -}}
{{- end -}}
