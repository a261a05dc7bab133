{{/* A shard that runs in a loop. Input: dict "entry" "shard". */}}
{{- define "reconciler.loop" -}}
{{- $override := .shard.shard_spec_overrides | default dict -}}
apiVersion: apps/v1
kind: {{ .entry.cache | default false | ternary "StatefulSet" "Deployment" }}
metadata:
  name: {{ include "reconciler.name" . | quote }}
  labels:
    {{- include "reconciler.labels" . | nindent 4 }}
spec:
  replicas: {{ $override.disabled | default false | ternary 0 1 }}
  revisionHistoryLimit: 5
  selector:
    matchLabels:
      app: {{ printf "qontract-reconcile-%s" .entry.name | quote }}
      shard: {{ include "reconciler.shard" . | quote }}
  {{- if not .entry.cache }}
  # Never run two pods of one shard at once.
  strategy:
    type: RollingUpdate
    rollingUpdate:
      maxSurge: 0
      maxUnavailable: 1
  {{- end }}
  template:
    metadata:
      labels:
        {{- include "reconciler.labels" . | nindent 8 }}
        component: qontract-reconcile
    spec:
      {{- include "reconciler.pod" . | nindent 6 }}
  {{- if .entry.cache }}
  volumeClaimTemplates:
  - metadata:
      name: cache
    spec:
      accessModes: ["ReadWriteOnce"]
      storageClassName: {{ .entry.storageClassName | default "gp2" | quote }}
      resources:
        requests:
          storage: {{ .entry.storage | default "1Gi" | toString | quote }}
  {{- end }}
{{- end -}}

{{/* A shard that runs on a schedule. Input: dict "entry" "shard" "cron". */}}
{{- define "reconciler.scheduled" -}}
{{- $override := .shard.shard_spec_overrides | default dict -}}
apiVersion: batch/v1
kind: CronJob
metadata:
  name: {{ include "reconciler.name" . | quote }}
  labels:
    {{- include "reconciler.labels" . | nindent 4 }}
spec:
  schedule: {{ .entry.cron | quote }}
  concurrencyPolicy: {{ .entry.concurrencyPolicy | default "Allow" | quote }}
  {{- if $override.disabled }}
  suspend: true
  {{- end }}
  successfulJobsHistoryLimit: {{ hasKey .entry "successfulJobHistoryLimit" | ternary .entry.successfulJobHistoryLimit 3 | int }}
  failedJobsHistoryLimit: {{ hasKey .entry "failedJobHistoryLimit" | ternary .entry.failedJobHistoryLimit 1 | int }}
  jobTemplate:
    spec:
      template:
        metadata:
          labels:
            {{- include "reconciler.labels" . | nindent 12 }}
        spec:
          {{- include "reconciler.pod" . | nindent 10 }}
{{- end -}}

{{- define "reconciler.labels" -}}
app: {{ printf "qontract-reconcile-%s" .entry.name | quote }}
shard: {{ include "reconciler.shard" . | quote }}
{{- end -}}
