/** The parts of the configuration that ships log lines, for an integration named integ. */

const lines = (text: string): string => text.replace(/^\n/, '');

export const READ = lines(`
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
  <exclude>
    key message
    pattern /using gql endpoint/
  </exclude>
  <exclude>
    key message
    pattern /request_id: /
  </exclude>
  <exclude>
    key message
    pattern /Certificate did not match expected hostname/
  </exclude>
</filter>
<match integration>
  @type copy
`);

export const TO_CLOUDWATCH = '  @include cloudwatch.conf\n';

export const CLOUDWATCH = lines(`
<store>
  @type cloudwatch_logs
  log_group_name "#{ENV['LOG_GROUP_NAME']}"
  log_stream_name integ
  auto_create_stream true
</store>
`);

export const slackStore = (url: string, channel: string, indent: string): string =>
  [
    '<store>',
    '  @type slack',
    `  webhook_url "#{ENV['${url}']}"`,
    `  channel "#{ENV['${channel}']}"`,
    `  icon_emoji "#{ENV['SLACK_ICON_EMOJI']}"`,
    '  username sd-app-sre-bot',
    '  flush_interval 10s',
    '  message "[integ] %s"',
    '</store>',
  ]
    .map((line) => `${indent}${line}\n`)
    .join('');

export const TO_ERRORS = '  <store>\n    @type relabel\n    @label @ERRORS\n  </store>\n';
export const MATCH_END = '</match>\n';

export const ERRORS = lines(`
<label @ERRORS>
  <filter integration>
    @type grep
    <regexp>
      key message
      pattern /^\\[ERROR\\]/
    </regexp>
  </filter>
  <match integration>
    @type copy
`);
export const ERRORS_END = '  </match>\n</label>\n';

export const CHAT_STORE = lines(`
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
`);
