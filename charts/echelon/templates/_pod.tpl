{{/* The restricted pod security standard. The image has a numeric user that is not root; OpenShift assigns one. */}}
{{- define "echelon.podSecurity" -}}
runAsNonRoot: true
seccompProfile:
  type: RuntimeDefault
{{- end -}}

{{- define "echelon.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop:
  - ALL
{{- end -}}

{{/* Fields of a pod besides its containers and volumes. */}}
{{- define "echelon.podFields" -}}
serviceAccountName: {{ include "echelon.serviceAccount" . }}
automountServiceAccountToken: false
securityContext:
  {{- include "echelon.podSecurity" . | nindent 2 }}
  {{- if and .state .root.Values.state.existingClaim }}
  {{- with .root.Values.state.fsGroup }}
  fsGroup: {{ int64 . }}
  {{- end }}
  {{- end }}
{{- with .root.Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- range $field := list "priorityClassName" "nodeSelector" "tolerations" "affinity" "topologySpreadConstraints" }}
{{- with get $.values $field }}
{{ $field }}:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}
{{- end -}}

{{- define "echelon.podMetadata" -}}
labels:
  {{- include "echelon.selector" . | nindent 2 }}
  {{- with .values.podLabels }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- $annotations := .values.podAnnotations | default dict }}
{{- if or .root.Values.config.toml .root.Values.upgrades.config }}
{{- $annotations = merge (dict "checksum/config" (list .root.Values.config .root.Values.upgrades | toJson | sha256sum)) $annotations }}
{{- end }}
{{- with $annotations }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{- define "echelon.container" -}}
name: {{ .component }}
image: {{ include "echelon.image" .root | quote }}
imagePullPolicy: {{ .root.Values.image.pullPolicy }}
resources:
  {{- toYaml .values.resources | nindent 2 }}
securityContext:
  {{- include "echelon.containerSecurity" . | nindent 2 }}
{{- $from := .values.extraEnvFrom }}
{{- if and .state .root.Values.state.existingSecret }}
{{- $from = prepend $from (dict "secretRef" (dict "name" .root.Values.state.existingSecret)) }}
{{- end }}
{{- with $from }}
envFrom:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{/* Variables of every component. */}}
{{- define "echelon.env" -}}
{{- $values := .root.Values -}}
{{- if or $values.config.existingSecret $values.config.toml }}
- name: {{ eq .component "console" | ternary "ECHELON_CONFIG" "CONFIG" }}
  value: /config/config.toml
{{- end }}
{{- with $values.data }}
- name: ECHELON_DATA
  value: {{ . | quote }}
{{- end }}
{{- with $values.cluster }}
- name: ECHELON_IN_CLUSTER
  value: {{ . | quote }}
{{- end }}
{{- if .state }}
{{- with empty $values.state.existingClaim | ternary $values.state.location "/state" }}
- name: ECHELON_STATE
  value: {{ . | quote }}
{{- end }}
{{- end }}
- name: LOG_LEVEL
  value: {{ $values.logLevel }}
- name: KUBE_SA_TOKEN_PATH
  value: /var/run/secrets/kubernetes.io/serviceaccount/token
{{- with .values.extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* Input also: "state", whether it uses the history; "upgrades", whether it uses the configuration file of upgrades. */}}
{{- define "echelon.volumeMounts" -}}
{{- $values := .root.Values -}}
- name: tmp
  mountPath: /tmp
- name: echelon-cache
  mountPath: /cache
- name: account
  mountPath: /var/run/secrets/kubernetes.io/serviceaccount
  readOnly: true
{{- if or $values.config.existingSecret $values.config.toml }}
- name: config
  mountPath: /config
  readOnly: true
{{- end }}
{{- if and .upgrades (include "echelon.upgradesSecret" .root) }}
- name: upgrades
  mountPath: /upgrades
  readOnly: true
{{- end }}
{{- if and .state $values.state.existingClaim }}
- name: state
  mountPath: /state
  readOnly: {{ eq .component "console" }}
{{- end }}
{{- with .values.extraVolumeMounts }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "echelon.volumes" -}}
{{- $values := .root.Values -}}
- name: tmp
  emptyDir: {}
{{- /* On disk it would be writable to all without the sticky bit, and Echelon would cache nothing in it. */}}
- name: echelon-cache
  emptyDir:
    medium: Memory
    sizeLimit: 64Mi
- name: account
  projected:
    sources:
    - serviceAccountToken:
        expirationSeconds: 1800
        path: token
    - configMap:
        name: kube-root-ca.crt
        items:
        - key: ca.crt
          path: ca.crt
    - downwardAPI:
        items:
        - path: namespace
          fieldRef:
            fieldPath: metadata.namespace
{{- if or $values.config.existingSecret $values.config.toml }}
- name: config
  secret:
    secretName: {{ $values.config.existingSecret | default (printf "%s-config" (include "echelon.fullname" .root)) }}
    items:
    - key: {{ $values.config.key | quote }}
      path: config.toml
{{- end }}
{{- if .upgrades }}
{{- with include "echelon.upgradesSecret" .root }}
- name: upgrades
  secret:
    secretName: {{ . }}
{{- end }}
{{- end }}
{{- if and .state $values.state.existingClaim }}
- name: state
  persistentVolumeClaim:
    claimName: {{ $values.state.existingClaim }}
{{- end }}
{{- with .values.extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* The Secret with upgrades.yml; nothing when an instance has it all. */}}
{{- define "echelon.upgradesSecret" -}}
{{- if .Values.upgrades.existingSecret -}}
{{ .Values.upgrades.existingSecret }}
{{- else if .Values.upgrades.config -}}
{{ include "echelon.fullname" . }}-upgrades
{{- end -}}
{{- end -}}
