{{/*
Log shipping. The configuration is an environment variable that an init container writes to a file unchanged; webhooks and
credentials stay in the environment of the shipping container, where fluentd itself reads them. CloudWatch has a file of its
own, which keeps nothing where the namespace lacks the secret: shipping is on by default, and the pod starts either way.
*/}}
{{- define "reconciler.fluentd.config" -}}
- name: config
  image: ${BUSYBOX_IMAGE}:${BUSYBOX_IMAGE_TAG}@${BUSYBOX_IMAGE_DIGEST}
  imagePullPolicy: ${BUSYBOX_IMAGE_PULL_POLICY}
  command: ["/bin/sh", "-c", {{ include "reconciler.fluentd.write" .entry | quote }}]
  env:
  - name: FLUENT_CONF
    value: {{ printf "%s\n" (include "reconciler.fluentd.pipeline" .entry) | quote }}
  {{- if include "reconciler.cloudwatch" .entry }}
  - name: CLOUDWATCH_CONF
    value: {{ printf "%s\n" (include "reconciler.fluentd.cloudwatch" .entry) | quote }}
  {{- include "reconciler.fromSecret" (list "LOG_GROUP_NAME" "${CLOUDWATCH_SECRET}" "log_group_name" true) | nindent 2 }}
  {{- end }}
  {{- include "reconciler.helperContainer" . | nindent 2 }}
  volumeMounts:
  - name: fluentd-config
    mountPath: /fluentd/etc/
{{- end -}}

{{- define "reconciler.fluentd.write" -}}
printf '%s' "$FLUENT_CONF" > /fluentd/etc/fluent.conf
{{- if include "reconciler.cloudwatch" . }}
if [ -n "$LOG_GROUP_NAME" ]; then
  printf '%s' "$CLOUDWATCH_CONF"
else
  printf '<store>\n  @type null\n</store>\n'
fi > /fluentd/etc/cloudwatch.conf
{{- end }}
{{- end -}}

{{- define "reconciler.fluentd.cloudwatch" -}}
<store>
  @type cloudwatch_logs
  log_group_name "#{ENV['LOG_GROUP_NAME']}"
  log_stream_name {{ .name }}
  auto_create_stream true
</store>
{{- end -}}

{{- define "reconciler.fluentd.pipeline" -}}
{{- $logs := .logs | default dict -}}
<source>
  @type tail
  path /fluentd/log/integration.log
  pos_file /fluentd/log/integration.log.pos
  read_from_head true
  tag integration
  <parse>
    @type none
  </parse>
</source>
<filter integration>
  @type grep
  {{- range $index, $pattern := list "using gql endpoint" "request_id: " "Certificate did not match expected hostname" }}
  <exclude>
    key message
    pattern /{{ $pattern }}/
  </exclude>
  {{- end }}
</filter>
<match integration>
  @type copy
  {{- if include "reconciler.cloudwatch" . }}
  @include cloudwatch.conf
  {{- end }}
  {{- if $logs.slack }}
  <store>
    {{- include "reconciler.fluentd.slack" (dict "name" .name "url" "SLACK_WEBHOOK_URL" "channel" "SLACK_CHANNEL") | nindent 4 }}
  </store>
  {{- end }}
  {{- if $logs.govSlack }}
  <store>
    {{- include "reconciler.fluentd.slack" (dict "name" .name "url" "GOV_SLACK_WEBHOOK_URL" "channel" "SLACK_CHANNEL") | nindent 4 }}
  </store>
  {{- end }}
  {{- if or $logs.googleChat $logs.slackErrorFilter }}
  <store>
    @type relabel
    @label @ERRORS
  </store>
  {{- end }}
</match>
{{- if or $logs.googleChat $logs.slackErrorFilter }}
<label @ERRORS>
  <filter integration>
    @type grep
    <regexp>
      key message
      pattern /^\[ERROR\]/
    </regexp>
  </filter>
  <match integration>
    @type copy
    {{- if $logs.slackErrorFilter }}
    <store>
      {{- include "reconciler.fluentd.slack" (dict "name" .name "url" "SLACK_ERRORS_ONLY_WEBHOOK_URL" "channel" "SLACK_RECONCILE_ERR_CHANNEL_NAME") | nindent 6 }}
    </store>
    {{- end }}
    {{- if $logs.googleChat }}
    <store>
      @type teams
      webhook_url "#{ENV['GOOGLE_CHAT_WEBHOOK_URL']}&threadKey=#{ENV['POD_NAME']}"
      text "<%= Time.at(time) %> #{ENV['POD_NAME']} <%= record['message'] %>"
      <buffer>
        @type file
        path /fluentd/buffer/gchat
        flush_interval 15s
        flush_at_shutdown true
        retry_max_times 0
      </buffer>
    </store>
    {{- end }}
  </match>
</label>
{{- end }}
{{- end -}}

{{- define "reconciler.fluentd.slack" -}}
@type slack
webhook_url "#{ENV['{{ .url }}']}"
channel "#{ENV['{{ .channel }}']}"
icon_emoji "#{ENV['SLACK_ICON_EMOJI']}"
username sd-app-sre-bot
flush_interval 10s
message "[{{ .name }}] %s"
{{- end -}}

{{- define "reconciler.fluentd.container" -}}
{{- $entry := .entry -}}
{{- $logs := $entry.logs | default dict -}}
{{- $slack := or $logs.slack $logs.govSlack $logs.slackErrorFilter -}}
- name: fluentd
  image: ${FLUENTD_IMAGE}:${FLUENTD_IMAGE_TAG}@${FLUENTD_IMAGE_DIGEST}
  imagePullPolicy: ${FLUENTD_IMAGE_PULL_POLICY}
  env:
  {{- if include "reconciler.cloudwatch" $entry }}
  {{- range $name, $key := dict "AWS_REGION" "aws_region" "AWS_ACCESS_KEY_ID" "aws_access_key_id" "AWS_SECRET_ACCESS_KEY" "aws_secret_access_key" "LOG_GROUP_NAME" "log_group_name" }}
  {{- include "reconciler.fromSecret" (list $name "${CLOUDWATCH_SECRET}" $key true) | nindent 2 }}
  {{- end }}
  {{- end }}
  {{- $hook := $entry.trigger | default false | ternary "triggers_url" "webhook_url" }}
  {{- if $logs.slack }}
  {{- include "reconciler.fromSecret" (list "SLACK_WEBHOOK_URL" "app-interface" (printf "slack.%s" $hook) false) | nindent 2 }}
  {{- end }}
  {{- if $logs.govSlack }}
  {{- include "reconciler.fromSecret" (list "GOV_SLACK_WEBHOOK_URL" "app-interface" (printf "slack.%s" $hook) false) | nindent 2 }}
  {{- end }}
  {{- if $logs.slackErrorFilter }}
  {{- include "reconciler.fromSecret" (list "SLACK_ERRORS_ONLY_WEBHOOK_URL" "app-interface" "slack.errors_only_webhook_url" false) | nindent 2 }}
  - name: SLACK_RECONCILE_ERR_CHANNEL_NAME
    value: ${SLACK_RECONCILE_ERR_CHANNEL_NAME}
  {{- end }}
  {{- if $slack }}
  - name: SLACK_CHANNEL
    value: {{ $entry.trigger | default false | ternary "${SLACK_CHANNEL_TRIGGER}" "${SLACK_CHANNEL}" }}
  - name: SLACK_ICON_EMOJI
    value: ${SLACK_ICON_EMOJI}
  {{- end }}
  {{- if $logs.googleChat }}
  {{- include "reconciler.fromSecret" (list "GOOGLE_CHAT_WEBHOOK_URL" "app-interface" (printf "google_chat.%s" $hook) false) | nindent 2 }}
  - name: POD_NAME
    valueFrom:
      fieldRef:
        fieldPath: metadata.name
  {{- end }}
  resources:
    {{- include "reconciler.fluentd.resources" $entry | trim | nindent 4 }}
  securityContext:
    {{- include "reconciler.locked" . | nindent 4 }}
  volumeMounts:
  - name: tmp-dir
    mountPath: /tmp
  - name: logs
    mountPath: /fluentd/log/
  - name: fluentd-config
    mountPath: /fluentd/etc/
  - name: fluentd-buffer
    mountPath: /fluentd/buffer
{{- end -}}

{{- define "reconciler.fluentd.resources" -}}
{{- $prefix := include "reconciler.prefix" . -}}
{{- if .fluentdResources }}
{{- range $kind, $suffix := dict "limits" "LIMIT" "requests" "REQUEST" }}
{{- with (get $.fluentdResources $kind) }}
{{ $kind }}:
  {{- $given := . }}
  {{- range $name := list "cpu" "memory" }}
  {{- if hasKey $given $name }}
  {{ $name }}: {{ printf "${%s_FLUENTD_%s_%s}" $prefix (upper $name) $suffix | quote }}
  {{- end }}
  {{- end }}
{{- end }}
{{- end }}
{{- else }}
requests:
  cpu: 15m
  memory: 30Mi
limits:
  memory: 120Mi
{{- end }}
{{- end -}}
