{{- define "echelon.name" -}}
{{- .Values.nameOverride | default .Chart.Name | trunc 40 | trimSuffix "-" -}}
{{- end -}}

{{/* Short enough for the longest name of a component behind it. */}}
{{- define "echelon.fullname" -}}
{{- $name := include "echelon.name" . -}}
{{- $full := .Values.fullnameOverride | default (contains $name .Release.Name | ternary .Release.Name (printf "%s-%s" .Release.Name $name)) -}}
{{- $full | trunc 40 | trimSuffix "-" -}}
{{- end -}}

{{/* Input of this and of the following: dict "root" "component" "values". */}}
{{- define "echelon.component" -}}
{{ include "echelon.fullname" .root }}-{{ .component }}
{{- end -}}

{{- define "echelon.selector" -}}
app.kubernetes.io/name: {{ include "echelon.name" .root }}
app.kubernetes.io/instance: {{ .root.Release.Name | quote }}
app.kubernetes.io/component: {{ .component }}
{{- end -}}

{{- define "echelon.labels" -}}
{{ include "echelon.selector" . }}
{{ include "echelon.commonLabels" .root }}
{{- end -}}

{{- define "echelon.commonLabels" -}}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version | replace "+" "_" }}
{{- end -}}

{{/* name, namespace and labels */}}
{{- define "echelon.metadata" -}}
name: {{ include "echelon.component" . }}
namespace: {{ .root.Release.Namespace }}
labels:
  {{- include "echelon.labels" . | nindent 2 }}
{{- end -}}

{{- define "echelon.serviceAccount" -}}
{{- if .values.serviceAccount.create -}}
{{ .values.serviceAccount.name | default (include "echelon.component" .) }}
{{- else -}}
{{ .values.serviceAccount.name | default "default" }}
{{- end -}}
{{- end -}}

{{- define "echelon.image" -}}
{{- $image := .Values.image -}}
{{- $repository := required "image.repository is required: the image built from deploy/Containerfile" $image.repository -}}
{{- if $image.digest -}}
{{ $repository }}@{{ $image.digest }}
{{- else -}}
{{ $repository }}:{{ $image.tag | default .Chart.AppVersion }}
{{- end -}}
{{- end -}}

{{/* Namespaces of this cluster that the manager deploys to and the console reads, as JSON. */}}
{{- define "echelon.namespaces" -}}
{{- .Values.manager.namespaces | default (list .Release.Namespace) | uniq | toJson -}}
{{- end -}}

{{/* The components that are installed, as JSON. */}}
{{- define "echelon.components" -}}
{{- $all := list
  (dict "key" "manager" "component" "manager" "metrics" true)
  (dict "key" "upgradeScheduler" "component" "upgrade-scheduler" "metrics" true)
  (dict "key" "gateApprover" "component" "gate-approver" "metrics" true)
  (dict "key" "console" "component" "console" "metrics" false)
-}}
{{- $installed := list -}}
{{- range $all -}}
{{- if (get $.Values .key).enabled -}}
{{- $installed = append $installed . -}}
{{- end -}}
{{- end -}}
{{- $installed | toJson -}}
{{- end -}}
