import { Ajv } from 'ajv';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isJson, messageOf } from '../../src/base/index.ts';
import { exampleOf, jsonSchemaOf } from '../../src/fields/json-schema.ts';
import { KINDS } from '../../src/fields/kinds.ts';
import { readInstance } from '../../src/instance/index.ts';
import { readManagerFile } from '../../src/instance/manager-file.ts';
import { readPromotionFile } from '../../src/promotion/targets/promotion-file.ts';
import { readRollouts } from '../../src/rollouts/index.ts';
import { readShadow } from '../../src/shadow/file/read-shadow.ts';
import { readConfigFile } from '../../src/upgrades/service/config-file.ts';
import { handMadeSnapshot, ocmEnvironment } from '../support/hand-made-snapshot.ts';
import { holds } from '../support/property.ts';
import { documentsOf } from '../support/schema-documents.ts';

/** What a reader refuses a document for. */
type Read = (document: unknown) => readonly string[];

interface Reader {
  readonly read: Read;
  /** What only the reader checks, as `alsoChecked` of the kind says. */
  readonly beyond?: RegExp;
}

const READERS: Readonly<Record<string, Reader>> = {
  integration: { read: datafile, beyond: /^(?:ref-[\w-]+|bad-cron|request-above-limit):/ },
  namespace: { read: datafile, beyond: /^ref-/ },
  'lean-namespace': { read: datafile, beyond: /^other-server:/ },
  cluster: { read: datafile, beyond: /^(?:ref-[\w-]+|bad-cron):/ },
  environment: { read: datafile, beyond: /^ref-/ },
  account: { read: datafile },
  organization: { read: datafile, beyond: /^(?:ref-[\w-]+|bad-cron):/ },
  manager: {
    read: (document) =>
      readManagerFile(JSON.stringify(document)).problems.map(({ rule, message }) => `${rule}: ${message}`),
    beyond: /^duplicate-name: /,
  },
  rollouts: {
    read: (document) =>
      readRollouts(JSON.stringify(document), 'rollouts.yml').problems.map(({ rule, message }) => `${rule}: ${message}`),
    beyond:
      /^(?:duplicate-name|unknown-\w+): |is not a time|ends before it begins|is not a valid window|never opens|min is above max/,
  },
  promotion: {
    read: (document) => thrownBy(() => readPromotionFile(JSON.stringify(document))),
    beyond: /duplicate target|no upstream|has no url/,
  },
  upgrades: {
    read: (document) =>
      thrownBy(() => readConfigFile({ env: {}, cwd: '/', readFile: () => JSON.stringify(document) }, 'upgrades.yml')),
    beyond: /duplicate environment|it must be a URL/,
  },
  shadow: {
    read: (document) =>
      readShadow(JSON.stringify(document), 'shadow.yml').problems.map(({ rule, message }) => `${rule}: ${message}`),
    beyond: /is not a valid pattern/,
  },
};

const PATH = '/file.yml';

/** What the examples refer to: the examples of the other kinds. */
const REFERRED = {
  '/services/app-interface/namespaces/production.yml': exampleFile('namespace'),
  '/openshift/prod-01/cluster.yml': exampleFile('cluster'),
  '/products/app-interface/environments/production.yml': exampleFile('environment'),
  '/products/app-interface/environments/stage.yml': exampleFile('environment'),
  '/products/app-interface/product.yml': { $schema: '/app-sre/product-1.yml', name: 'app-interface' },
  '/ocm/payments.yml': exampleFile('organization'),
  '/ocm/payments-stage.yml': exampleFile('organization'),
  '/ocm/environments/production.yml': ocmEnvironment('production'),
};

function exampleFile(kind: string) {
  const found = KINDS.find(({ name }) => name === kind);
  return (found === undefined ? {} : exampleOf(jsonSchemaOf(found))) as Readonly<Record<string, unknown>>;
}

function datafile(document: unknown): string[] {
  if (!isJson(document)) return ['not a mapping'];
  if (!KINDS.some(({ title }) => title === document['$schema'])) return ['not of the kind'];
  return readInstance(handMadeSnapshot({ ...REFERRED, [PATH]: document }))
    .findings.filter(({ severity, path }) => severity === 'error' && path === PATH)
    .map(({ rule, message }) => `${rule}: ${message}`);
}

function thrownBy(read: () => unknown): string[] {
  try {
    read();
    return [];
  } catch (thrown) {
    return messageOf(thrown).split('; ');
  }
}

describe.each(KINDS.map((kind) => ({ name: kind.name, kind })))(
  'the JSON Schema and the reader of $name',
  ({ name, kind }) => {
    const schema = jsonSchemaOf(kind);
    const { read, beyond = /^$/ } = READERS[name] as Reader;
    const validate = new Ajv({ strict: false, validateFormats: false, allErrors: true }).compile(schema);

    it('both accept the example', () => {
      const example = exampleOf(schema);
      expect(validate(example), JSON.stringify(validate.errors)).toBe(true);
      expect(read(example).filter((problem) => !beyond.test(problem))).toEqual([]);
    });

    it('accept and refuse the same documents, but for what the kind says', () => {
      const tally = { accepted: 0, refused: 0 };
      const agrees = (document: unknown): void => {
        const problems = read(document);
        const accepted = validate(document);
        tally[accepted ? 'accepted' : 'refused'] += 1;
        if (accepted) expect(problems.filter((problem) => !beyond.test(problem))).toEqual([]);
        else expect(problems, JSON.stringify(validate.errors)).not.toEqual([]);
      };
      holds(fc.property(documentsOf(schema), agrees), { numRuns: 300 });
      expect(tally.accepted).toBeGreaterThan(20);
      expect(tally.refused).toBeGreaterThan(20);
    });
  },
);
