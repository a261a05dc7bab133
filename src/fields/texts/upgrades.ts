import { type FieldTexts, under } from '../kind.ts';
import { HEALTH_CHECKS } from './common.ts';

const CREDENTIALS: FieldTexts = {
  clientId: ['id of the client, with a client secret', 'my-client'],
  clientSecretEnv: ['environment variable with the client secret', 'OCM_SECRET'],
  clientSecretFile: ['file with the client secret, relative to this file', 'client-secret'],
  offlineTokenEnv: ['environment variable with an offline token', 'OCM_OFFLINE_TOKEN'],
  offlineTokenFile: ['file with an offline token, relative to this file', 'offline-token'],
  accessTokenEnv: ['environment variable with an access token', 'OCM_TOKEN'],
  accessTokenFile: ['file with an access token, relative to this file', 'access-token'],
};
const LOGIN = { clientId: 'my-client', clientSecretEnv: 'OCM_SECRET' };
const HOW = 'how to log in: exactly one secret, by variable or file, never the secret itself';

export const UPGRADES: FieldTexts = {
  environments: ['OCM environments'],
  ...under('environments', {
    name: ['name of the environment, as in --ocm-env; histories are stored by it', 'production'],
    url: ['address of OCM', 'https://api.openshift.com'],
    tokenUrl: ['where tokens are issued; that of OCM when absent', 'https://sso.example.com/token'],
    credentials: [HOW, LOGIN],
    ...under('credentials', CREDENTIALS),
    telemetry: [
      'a Prometheus with the alerts of all clusters, for the health check telemeter',
      { url: 'https://telemeter.example.com/api/v1/query', credentials: { accessTokenEnv: 'TELEMETER_TOKEN' } },
    ],
    'telemetry.url': ['address of its query API', 'https://telemeter.example.com/api/v1/query'],
    'telemetry.tokenUrl': ['where its tokens are issued; as for OCM when absent', 'https://sso.example.com/token'],
    'telemetry.credentials': [HOW, { accessTokenEnv: 'TELEMETER_TOKEN' }],
    ...under('telemetry.credentials', CREDENTIALS),
    'telemetry.query': [
      'PromQL with a sample above 0 for each unhealthy cluster, by its UUID in _id; {organization} is the id of the organization',
      'count by (_id) (alerts{severity="critical"})',
    ],
  }),
  organizations: ['organizations whose clusters are upgraded', { allow: ['1QfZcT8mLwKpR2vN9sXdY4hB6gJ'] }],
  ...under('organizations', {
    allow: [
      'ids of organizations, or more about each; all for every one that the login sees',
      ['1QfZcT8mLwKpR2vN9sXdY4hB6gJ'],
    ],
    'allow.id': ['id of the organization in OCM; letter case matters', '1QfZcT8mLwKpR2vN9sXdY4hB6gJ'],
    'allow.name': ['name in reports', 'payments'],
    'allow.environment': ['only in this OCM environment', 'production'],
    'allow.healthChecks': ['health checks of its clusters, in place of those of all'],
    ...under('allow.healthChecks', HEALTH_CHECKS),
    deny: ['ids of organizations that are left alone', ['2c5kd8x1mq0zwv7rAbCdEfGhIjK']],
  }),
  healthChecks: ['health checks of all clusters'],
  ...under('healthChecks', HEALTH_CHECKS),
  rules: ['rules of decisions: default, qontract, or either with changes; as --rules', 'default'],
  ignoreStsClusters: ['whether clusters with STS are left alone'],
  state: [
    'where histories are stored: a folder, s3://BUCKET/PREFIX, configmap:[NAMESPACE/]NAME, or a bucket',
    's3://my-bucket/state',
  ],
  ...under('state', {
    bucket: ['name of the bucket', 'my-bucket'],
    prefix: ['begin of every key (default state)', 'state'],
    region: ['region of the bucket', 'us-east-1'],
    endpoint: ['address of an S3 server other than AWS', 'https://s3.example.com'],
    pathStyle: ['whether the bucket is part of the path, not of the host'],
  }),
};
