{{/* The pod of a shard. Input: dict "entry" "shard" "cron". */}}
{{- define "reconciler.pod" -}}
{{- $entry := .entry -}}
{{- $ships := and (not .cron) (include "reconciler.shipsLogs" $entry) -}}
serviceAccountName: qontract-reconcile
automountServiceAccountToken: false
securityContext:
  runAsNonRoot: true
  seccompProfile:
    type: RuntimeDefault
{{- if .cron }}
restartPolicy: {{ $entry.restartPolicy | default "OnFailure" | quote }}
{{- end }}
{{- if or $entry.internalCertificates $ships }}
initContainers:
{{- if $entry.internalCertificates }}
- name: internal-certificates
  image: ${INTERNAL_CERTIFICATES_IMAGE}:${INTERNAL_CERTIFICATES_IMAGE_TAG}@${INTERNAL_CERTIFICATES_IMAGE_DIGEST}
  imagePullPolicy: ${INTERNAL_CERTIFICATES_IMAGE_PULL_POLICY}
  command: ["cp", "-rp", "/etc/pki/.", "/tmp/etc-pki/"]
  {{- include "reconciler.helperContainer" . | nindent 2 }}
  volumeMounts:
  - name: internal-certificates
    mountPath: /tmp/etc-pki/
{{- end }}
{{- if $ships }}
{{ include "reconciler.fluentd.config" . }}
{{- end }}
{{- end }}
containers:
- name: int
  image: {{ include "reconciler.image" . | quote }}
  {{- if not .cron }}
  ports:
  - name: http
    containerPort: 9090
  {{- if ne (toString $entry.healthz) "false" }}
  livenessProbe:
    httpGet:
      path: /healthz
      port: http
    periodSeconds: 30
    timeoutSeconds: 10
    failureThreshold: 6
  readinessProbe:
    httpGet:
      path: /healthz
      port: http
    periodSeconds: 15
    timeoutSeconds: 10
  {{- end }}
  {{- end }}
  env:
  {{- include "reconciler.env" . | nindent 2 }}
  resources:
    {{- include "reconciler.resources" . | trim | nindent 4 }}
  securityContext:
    {{- include "reconciler.locked" . | nindent 4 }}
  volumeMounts:
  - name: tmp-dir
    mountPath: /tmp
  - name: qontract-reconcile-toml
    mountPath: /config
  {{- if and $entry.cache (not .cron) }}
  - name: cache
    mountPath: /.cache
  {{- end }}
  {{- if $entry.internalCertificates }}
  - name: internal-certificates
    mountPath: /etc/pki/
  {{- end }}
  {{- if $ships }}
  - name: logs
    mountPath: /fluentd/log/
  {{- end }}
  - name: qontract-reconcile-sa-token
    mountPath: ${KUBE_SA_TOKEN_MOUNT_PATH}
    readOnly: true
  {{- if $entry.state }}
  - name: aws-config
    mountPath: /aws
  - name: bound-qontract-reconcile-sa-token
    mountPath: /var/run/secrets/openshift/serviceaccount
    readOnly: true
  {{- end }}
{{- if $ships }}
{{ include "reconciler.fluentd.container" . }}
{{- end }}
volumes:
- name: tmp-dir
  emptyDir: {}
- name: qontract-reconcile-toml
  secret:
    secretName: ${QONTRACT_RECONCILE_TOML_SECRET_NAME}
    optional: true
- name: qontract-reconcile-sa-token
  projected:
    sources:
    - serviceAccountToken:
        expirationSeconds: 1800
        path: ${KUBE_SA_TOKEN_FILENAME}
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
{{- if $entry.internalCertificates }}
- name: internal-certificates
  emptyDir: {}
{{- end }}
{{- if $entry.state }}
- name: aws-config
  secret:
    secretName: ${AWS_CONFIG_SECRET_NAME}
    optional: true
- name: bound-qontract-reconcile-sa-token
  projected:
    sources:
    - serviceAccountToken:
        audience: openshift
        expirationSeconds: 1800
        path: token
{{- end }}
{{- if $ships }}
- name: logs
  emptyDir: {}
- name: fluentd-config
  emptyDir: {}
- name: fluentd-buffer
  emptyDir: {}
{{- end }}
{{- end -}}

{{/* The restricted security context of all containers. */}}
{{- define "reconciler.locked" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: ["ALL"]
{{- end -}}

{{/* Resources and security context of the init containers that prepare a volume. */}}
{{- define "reconciler.helperContainer" -}}
resources:
  requests:
    cpu: 15m
    memory: 10Mi
  limits:
    memory: 20Mi
securityContext:
  {{- include "reconciler.locked" . | nindent 2 }}
{{- end -}}
