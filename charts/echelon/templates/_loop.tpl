{{/*
The account, Deployment and metrics Service of an integration that runs in a loop.
Input: dict "root" "component" "values" "integration" "args" "env", and "state" and "upgrades" as for volumes.
*/}}
{{- define "echelon.loop" -}}
{{ include "echelon.account" . }}
---
apiVersion: apps/v1
kind: Deployment
metadata:
  {{- include "echelon.metadata" . | nindent 2 }}
spec:
  replicas: {{ .values.replicas }}
  revisionHistoryLimit: 5
  selector:
    matchLabels:
      {{- include "echelon.selector" . | nindent 6 }}
  strategy:
    type: RollingUpdate
    rollingUpdate:
      maxSurge: 0
      maxUnavailable: 1
  template:
    metadata:
      {{- include "echelon.podMetadata" . | nindent 6 }}
    spec:
      {{- include "echelon.podFields" . | nindent 6 }}
      containers:
      - {{- include "echelon.container" . | nindent 8 }}
        args:
        - run
        - {{ .integration }}
        {{- range concat .args .values.extraArgs }}
        - {{ . | quote }}
        {{- end }}
        ports:
        - name: http
          containerPort: 9090
        livenessProbe:
          httpGet:
            path: /healthz
            port: http
          periodSeconds: 30
          timeoutSeconds: 10
          failureThreshold: 6
        readinessProbe:
          httpGet:
            path: /readyz
            port: http
          periodSeconds: 15
          timeoutSeconds: 10
        env:
        {{- .env | nindent 8 }}
        - name: SLEEP_DURATION_SECS
          value: {{ .values.sleepSeconds | quote }}
        {{- include "echelon.env" . | nindent 8 }}
        volumeMounts:
        {{- include "echelon.volumeMounts" . | nindent 8 }}
      volumes:
      {{- include "echelon.volumes" . | nindent 6 }}
---
apiVersion: v1
kind: Service
metadata:
  {{- include "echelon.metadata" . | nindent 2 }}
spec:
  clusterIP: None
  selector:
    {{- include "echelon.selector" . | nindent 4 }}
  ports:
  - name: http
    port: 9090
    targetPort: http
{{- end -}}

{{- define "echelon.account" -}}
{{- if .values.serviceAccount.create }}
---
apiVersion: v1
kind: ServiceAccount
metadata:
  name: {{ include "echelon.serviceAccount" . }}
  namespace: {{ .root.Release.Namespace }}
  labels:
    {{- include "echelon.labels" . | nindent 4 }}
  {{- with .values.serviceAccount.annotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
automountServiceAccountToken: false
{{- end }}
{{- end -}}

{{/* A Role in a namespace and its binding. Input also: "namespace", "suffix", "rules", and "account" when it is not its own. */}}
{{- define "echelon.role" -}}
{{- $name := printf "%s%s" (include "echelon.component" .) (.suffix | default "") -}}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata:
  name: {{ $name }}
  namespace: {{ .namespace }}
  labels:
    {{- include "echelon.labels" . | nindent 4 }}
rules:
{{ .rules }}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata:
  name: {{ $name }}
  namespace: {{ .namespace }}
  labels:
    {{- include "echelon.labels" . | nindent 4 }}
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: Role
  name: {{ $name }}
subjects:
- kind: ServiceAccount
  {{- if .account }}
  name: {{ .account }}
  namespace: {{ .namespace }}
  {{- else }}
  name: {{ include "echelon.serviceAccount" . }}
  namespace: {{ .root.Release.Namespace }}
  {{- end }}
{{- end -}}

{{/* The leader election of replicas. */}}
{{- define "echelon.leaseRules" -}}
- apiGroups: [coordination.k8s.io]
  resources: [leases]
  verbs: [get, create, update]
{{- end -}}

{{/* The ConfigMap in the release's namespace that has the history; nothing when it is elsewhere. */}}
{{- define "echelon.stateConfigMap" -}}
{{- if and (hasPrefix "configmap:" .Values.state.location) (not .Values.state.existingClaim) -}}
{{ trimPrefix "configmap:" .Values.state.location }}
{{- end -}}
{{- end -}}
