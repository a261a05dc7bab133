import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { copyInstance, type InstanceCopy } from '../support/instance-copy.ts';
import { runCli } from '../support/run-cli.ts';
import { hasShared, SCHEMAS } from '../support/shared.ts';
import { type Defect, type Expected, FILE } from './defects/defect.ts';
import { FILE_DEFECTS } from './defects/file-defects.ts';
import { INTEGRATION_DEFECTS } from './defects/integration-defects.ts';
import { REFERENCE_DEFECTS } from './defects/reference-defects.ts';
import { SCHEMA_DEFECTS } from './defects/schema-defects.ts';
import { SHARDING_DEFECTS } from './defects/sharding-defects.ts';

const DEFECTS: readonly Defect[] = [
  ...FILE_DEFECTS,
  ...REFERENCE_DEFECTS,
  ...INTEGRATION_DEFECTS,
  ...SHARDING_DEFECTS,
  ...SCHEMA_DEFECTS,
];

let copy: InstanceCopy;

beforeEach(() => {
  copy = copyInstance();
});
afterEach(() => copy.dispose());

async function validate(...more: readonly string[]) {
  const { code, stdout, stderr } = await runCli(['validate', '--data', copy.root, '-o', 'json', ...more]);
  expect(stderr).toBe('');
  return { code, ...(JSON.parse(stdout) as { errors: number; problems: readonly object[] }) };
}

function matching({ at, rule, says, hint = '', severity = 'error' }: Expected): object {
  return expect.objectContaining({
    ...at,
    rule,
    severity,
    message: expect.stringContaining(says),
    hint: expect.stringContaining(hint),
  });
}

async function expectFound(defect: Defect, ...more: readonly string[]): Promise<void> {
  const expected = [defect.inject(copy)].flat();
  const { code, problems } = await validate(...more);
  expect(problems).toEqual(expected.map(matching));
  expect(code).toBe(1);
}

describe.skipIf(!hasShared)('validate with JSON schemas reports exactly', () => {
  it.each(DEFECTS)('$defect', (defect) => expectFound(defect, '--schemas', SCHEMAS));
});

describe('validate without JSON schemas reports exactly', () => {
  it.each(DEFECTS.filter(({ withoutSchemas }) => withoutSchemas))('$defect', (defect) => expectFound(defect));
});

/** Files that many others refer to, each broken in one place. */
const CENTRAL_FILES = [
  { file: FILE.prodCluster, found: 'name: app-sre-prod-01\n', by: 'name: "app-sre-prod-01\n', rule: 'yaml-syntax' },
  { file: FILE.prodCluster, found: 'serverUrl:', by: 'serverURL:', rule: 'missing-field' },
  { file: FILE.appSreAccount, found: "uid: '410000000001'", by: 'uid: 410000000001', rule: 'wrong-type' },
  { file: FILE.appSreOrganization, found: 'name: ocm-app-sre\n', by: 'name: [ocm-app-sre]\n', rule: 'wrong-type' },
  { file: 'data/ocm/environments/production.yml', found: 'labels: {}', by: 'labels: {', rule: 'yaml-syntax' },
  { file: 'data/products/app-interface/product.yml', found: '\nname: ', by: '\nname: 7 #', rule: 'wrong-type' },
  { file: FILE.stageNamespace, found: 'labels: {}', by: 'labels: {}}', rule: 'yaml-syntax' },
  { file: FILE.stageNamespace, found: 'name: app-interface-stage\n', by: 'name: 12\n', rule: 'wrong-type' },
];

describe('one mistake is one problem, however many files refer to the broken one', () => {
  it.each(CENTRAL_FILES)('$rule in $file', async ({ file, found, by, rule }) => {
    copy.replace(file, found, by);
    const { code, problems } = await validate();
    expect(problems).toEqual([expect.objectContaining({ file, rule })]);
    expect(code).toBe(1);
  });
});

describe('one run tells everything', () => {
  it('defects in different files are both reported, ordered by file', async () => {
    const quantity = copy.replace(FILE.reporter, 'memory: 2Gi', 'memory: 2Gazillions', '2Ga');
    const duplicate = copy.replace(FILE.rulesTester, 'name: prometheus-rules-tester', 'name: openshift-groups', 'open');
    const empty = copy.write(FILE.archiveAccount, '');
    const { problems } = await validate();
    expect(problems).toEqual([
      expect.objectContaining({ ...empty, rule: 'empty-file' }),
      expect.objectContaining({ ...quantity, rule: 'bad-quantity' }),
      expect.objectContaining({ ...duplicate, rule: 'duplicate-name' }),
    ]);
  });

  it('defects in one entry are both reported', async () => {
    const quantity = copy.replace(FILE.reporter, 'memory: 2Gi', 'memory: 2Gazillions', '2Ga');
    const dangling = copy.replace(FILE.reporter, '/app-interface-internal.yaml', '/nowhere.yaml');
    const { problems } = await validate();
    expect(problems).toEqual([
      expect.objectContaining({ line: dangling.line, rule: 'ref-dangling' }),
      expect.objectContaining({ ...quantity, rule: 'bad-quantity' }),
    ]);
  });
});

describe('a field that Echelon does not know', () => {
  it('is a warning without JSON schemas, and alone exits 0', async () => {
    const at = copy.replace(FILE.usergroups, 'imageRef:', 'imageref:');
    const { code, errors, problems } = await validate();
    expect(problems).toEqual([expect.objectContaining({ ...at, rule: 'unknown-field', severity: 'warning' })]);
    expect({ code, errors }).toEqual({ code: 0, errors: 0 });
  });
});

describe('the example instance', () => {
  it('has no problems without JSON schemas', async () => {
    expect(await validate()).toMatchObject({ code: 0, errors: 0, problems: [], schemas: false });
  });

  it.skipIf(!hasShared)('has no problems with JSON schemas', async () => {
    expect(await validate('--schemas', SCHEMAS)).toMatchObject({ code: 0, errors: 0, problems: [], schemas: true });
  });
});
