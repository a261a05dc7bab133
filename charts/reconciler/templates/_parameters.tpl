{{/* Parameters of the Template with their defaults; an environment, the process and flags set them. All are text. */}}
{{- define "reconciler.parameters" -}}
{{- $always := dict
  "IMAGE" "quay.io/app-sre/qontract-reconcile"
  "IMAGE_TAG" "latest"
  "IMAGE_DIGEST" ""
  "BUSYBOX_IMAGE" "registry.access.redhat.com/ubi9/ubi-minimal"
  "BUSYBOX_IMAGE_TAG" "9.6"
  "BUSYBOX_IMAGE_DIGEST" "sha256:34880b64c07f28f64d95737f82f891516de9a3b43583f39970f7bf8e4cfa48b7"
  "BUSYBOX_IMAGE_PULL_POLICY" "IfNotPresent"
  "FLUENTD_IMAGE" "quay.io/app-sre/fluentd"
  "FLUENTD_IMAGE_TAG" "latest"
  "FLUENTD_IMAGE_DIGEST" ""
  "FLUENTD_IMAGE_PULL_POLICY" "IfNotPresent"
  "INTERNAL_CERTIFICATES_IMAGE" "quay.io/app-sre/internal-redhat-ca"
  "INTERNAL_CERTIFICATES_IMAGE_TAG" "latest"
  "INTERNAL_CERTIFICATES_IMAGE_DIGEST" ""
  "INTERNAL_CERTIFICATES_IMAGE_PULL_POLICY" "Always"
  "ENVIRONMENT_NAME" "app-interface"
  "DRY_RUN" "--dry-run"
  "MANAGER_DRY_RUN" "--dry-run"
  "SLEEP_DURATION_SECS" "300"
  "QONTRACT_RECONCILE_TOML_SECRET_NAME" "qontract-reconcile-toml"
  "APP_INTERFACE_STATE_BUCKET_ACCOUNT" "app-sre"
  "AWS_CONFIG_SECRET_NAME" "app-interface-aws-config"
  "KUBE_SA_TOKEN_MOUNT_PATH" "/var/run/secrets/kubernetes.io/serviceaccount"
  "KUBE_SA_TOKEN_FILENAME" "token"
  "LOG_FILE" "/fluentd/log/integration.log"
  "SLACK_CHANNEL" "sd-app-sre-reconcile-stage"
  "SLACK_CHANNEL_TRIGGER" "sd-app-sre-triggers-stage"
  "SLACK_RECONCILE_ERR_CHANNEL_NAME" "sd-app-sre-reconcile-errors-stage"
  "SLACK_ICON_EMOJI" ":bust_in_silhouette:"
  "CLOUDWATCH_SECRET" "app-interface-cloudwatch"
  "SLOW_OC_RECONCILE_THRESHOLD" "600"
  "LOG_SLOW_OC_RECONCILE" "false"
  "USE_NATIVE_CLIENT" ""
  "INTEGRATIONS_MANAGER_UPSTREAM" ""
  "INTEGRATIONS_MANAGER_IMAGE" ""
  "INTEGRATIONS_MANAGER_IMAGE_TAG_FROM_REF" ""
  "PUSHGATEWAY_SECRET_NAME" "push-gateway-auth-url"
  "USED_FOR_SECURITY" ""
-}}
{{- range $name, $value := $always }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- range $entry := concat .Values.integrations .Values.cronjobs }}
{{- $prefix := include "reconciler.prefix" $entry }}
{{- with $entry.sleepDurationSecs }}
- name: {{ printf "%s_SLEEP_DURATION_SECS" $prefix | quote }}
  value: {{ . | toString | quote }}
{{- end }}
{{- include "reconciler.parameters.resources" (dict "prefix" $prefix "resources" $entry.resources) }}
{{- include "reconciler.parameters.resources" (dict "prefix" (printf "%s_FLUENTD" $prefix) "resources" $entry.fluentdResources) }}
{{- end }}
{{- end -}}

{{- define "reconciler.parameters.resources" -}}
{{- $given := .resources | default dict -}}
{{- $prefix := .prefix -}}
{{- range $kind, $suffix := dict "limits" "LIMIT" "requests" "REQUEST" }}
{{- range $name, $value := get $given $kind | default dict }}
- name: {{ printf "%s_%s_%s" $prefix (upper $name) $suffix | quote }}
  value: {{ $value | toString | quote }}
{{- end }}
{{- end }}
{{- end -}}
