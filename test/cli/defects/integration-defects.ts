import { type Defect, FILE } from './defect.ts';

/** Fields of an integration that are wrong by themselves. */
export const INTEGRATION_DEFECTS: readonly Defect[] = [
  {
    defect: 'a quantity with an unknown unit',
    withoutSchemas: true,
    inject: (copy) => ({
      at: copy.replace(FILE.reporter, 'memory: 2Gi', 'memory: 2Gazillions', '2Ga'),
      rule: 'bad-quantity',
      says: '"2Gazillions" is not a valid Kubernetes quantity',
    }),
  },
  {
    defect: 'a request above the limit',
    withoutSchemas: true,
    inject: (copy) => ({
      at: copy.replace(FILE.reporter, 'memory: 1Gi', 'memory: 3Gi', '3Gi'),
      rule: 'request-above-limit',
      says: 'the memory request 3Gi is above the limit 2Gi',
    }),
  },
  ...(
    [
      { given: 'a cron expression with minute 60', cron: '60 5 1 * *', says: '60' },
      { given: 'a cron expression that matches no date', cron: '0 5 31 2 *', says: 'it never matches a date' },
      { given: 'a cron expression with four fields', cron: '0 5 1 *', says: 'five fields' },
    ] as const
  ).map(
    ({ given, cron, says }): Defect => ({
      defect: given,
      withoutSchemas: true,
      inject: (copy) => ({
        at: copy.replace(FILE.reporter, 'cron: 0 5 1 * *', `cron: ${cron}`, cron),
        rule: 'bad-cron',
        says,
      }),
    }),
  ),
  ...['quay.io/app-sre/reconcile', 'reconcile:0473914'].map(
    (image): Defect => ({
      defect: `the image reference ${image}`,
      withoutSchemas: true,
      inject: (copy) => ({
        at: copy.replace(FILE.usergroups, "imageRef: '0473914'", `imageRef: ${image}`, image),
        rule: 'bad-image-ref',
        says: `"${image}" is not a valid image tag`,
        hint: 'without the repository',
      }),
    }),
  ),
  {
    defect: 'an image reference that YAML reads as a number',
    withoutSchemas: true,
    inject: (copy) => ({
      at: copy.replace(FILE.usergroups, "imageRef: '0473914'", 'imageRef: 0123456', '0123456'),
      rule: 'wrong-type',
      says: 'YAML reads 0123456 as the number 42798',
      hint: "quote it: '0123456'",
    }),
  },
  {
    defect: 'a misspelt field',
    withoutSchemas: false,
    inject: (copy) => ({
      at: copy.replace(FILE.usergroups, 'imageRef:', 'imageref:'),
      rule: 'unknown-field',
      says: 'unknown field imageref',
      hint: 'did you mean imageRef',
    }),
  },
  {
    defect: 'a required field that is missing',
    withoutSchemas: true,
    inject: (copy) => ({
      at: copy.replace(
        FILE.rulesTester,
        'pr_check:\n',
        'managed:\n- namespace:\n    $ref: /services/app-interface/namespaces/app-interface-stage.yml\n  spec:\n    state: true\npr_check:\n',
        'state: true',
      ),
      rule: 'missing-field',
      says: 'resources is missing',
    }),
  },
  {
    defect: 'a list where text belongs',
    withoutSchemas: true,
    inject: (copy) => ({
      at: copy.replace(FILE.reporter, '--gitlab-project-id 13582', '[--gitlab-project-id, 13582]'),
      rule: 'wrong-type',
      says: 'extraArgs must be text, but is a list',
    }),
  },
  {
    defect: 'a number where text belongs',
    withoutSchemas: true,
    inject: (copy) => ({
      at: copy.replace(FILE.housekeeping, "sleepDurationSecs: '60'", 'sleepDurationSecs: 60', '60'),
      rule: 'wrong-type',
      says: 'sleepDurationSecs must be text, but YAML reads 60 as a number',
      hint: "quote it: '60'",
    }),
  },
  {
    defect: 'a value that is not one of those allowed',
    withoutSchemas: true,
    inject: (copy) => ({
      at: copy.replace(FILE.reporter, 'concurrencyPolicy: Allow', 'concurrencyPolicy: allow', 'allow'),
      rule: 'bad-value',
      says: 'concurrencyPolicy is "allow", not one of Allow, Forbid, Replace',
      hint: 'did you mean Allow?',
    }),
  },
  {
    defect: 'an extraEnv entry of both forms',
    withoutSchemas: true,
    inject: (copy) => ({
      at: copy.replace(
        FILE.jiraWatcher,
        '- name: JIRA_VERIFY_TLS\n',
        '- name: JIRA_VERIFY_TLS\n      secretName: jira\n      secretKey: tls\n',
        'name: JIRA',
      ),
      rule: 'bad-extra-env',
      says: 'either name and value, or secretName and secretKey',
    }),
  },
];
