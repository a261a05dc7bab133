import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { handMadeSnapshot, ref } from '../../../test/support/hand-made-snapshot.ts';
import { holdsAsync } from '../../../test/support/property.ts';
import { EXAMPLE_INSTANCE, hasShared, SCHEMAS } from '../../../test/support/shared.ts';
import { atOnce, messageOf } from '../../base/index.ts';
import type { Datafile } from '../snapshot.ts';
import { datafile } from '../sources/datafile.ts';
import { directorySource } from '../sources/directory.ts';
import { checkSchemas } from './check-schemas.ts';
import { readSchemas, type SchemaSet } from './schema-set.ts';
import { unsettled } from './unsettled.ts';

const CROSSREF = '/common-1.json#/definitions/crossref';
const RESOURCEREF = '/common-1.json#/definitions/resourceref';
const CLUSTER = { $ref: CROSSREF, $schemaRef: '/cluster-1.yml' };
const ACCOUNT = { $ref: CROSSREF, $schemaRef: '/account-1.yml' };
const NAMED_C = { $ref: CROSSREF, $schemaRef: { properties: { name: { const: 'c' } } } };
const LISTED = {
  items: { oneOf: [{ properties: { to: CLUSTER } }, { required: ['no'], properties: { to: ACCOUNT } }] },
};

describe('a datafile is left to the validator', () => {
  it.each([
    { given: 'a value that fits', schema: { type: 'string' }, x: 'a', left: false },
    { given: 'a value that does not', schema: { type: 'string' }, x: 1, left: true },
    { given: 'a reference to the right kind', schema: CLUSTER, x: ref('/cluster.yml'), left: false },
    { given: 'a reference to the wrong kind', schema: CLUSTER, x: ref('/account.yml'), left: true },
    { given: 'a reference to nothing, which another check reports', schema: CLUSTER, x: ref('/no.yml'), left: false },
    { given: 'a target that fits', schema: NAMED_C, x: ref('/cluster.yml'), left: false },
    { given: 'a target that does not', schema: NAMED_C, x: ref('/account.yml'), left: true },
    { given: 'a choice, one satisfied', schema: LISTED, x: [{ to: ref('/cluster.yml') }], left: false },
    { given: 'a choice, the other one satisfied', schema: LISTED, x: [{ to: ref('/account.yml') }], left: false },
    {
      given: 'a choice, one satisfied at another place with the same value',
      schema: { properties: { a: CLUSTER, b: ACCOUNT } },
      x: ((same) => ({ a: same, b: same }))(ref('/cluster.yml')),
      left: true,
    },
    {
      given: 'a choice of which the validator needs only the branch that is not satisfied',
      schema: { anyOf: [CLUSTER, ACCOUNT] },
      x: ref('/account.yml'),
      left: true,
    },
    {
      given: 'a choice that the validator does not look at',
      schema: { allOf: [CLUSTER, { anyOf: [ACCOUNT, {}] }] },
      x: ref('/account.yml'),
      left: true,
    },
    {
      given: 'a list of which the validator needs only the first item',
      schema: { items: CLUSTER, contains: { $ref: CROSSREF, $schemaRef: '/account-1.yml' } },
      x: [ref('/cluster.yml'), ref('/account.yml')],
      left: true,
    },
    {
      given: 'what must not fit',
      schema: { allOf: [CLUSTER, { not: { allOf: [false, ACCOUNT] } }] },
      x: ref('/account.yml'),
      left: true,
    },
    { given: 'a resource', schema: { $ref: RESOURCEREF }, x: '/there.yaml', left: false },
    { given: 'a resource that is missing', schema: { $ref: RESOURCEREF }, x: '/gone.yaml', left: true },
    { given: 'a schema that is not supported', schema: { uniqueItems: true }, x: 1, left: true },
    { given: 'a schema with a reference to nothing', schema: { $ref: '/none-1.yml' }, x: 1, left: true },
    {
      given: 'a schema with a reference to a part of one that is not valid',
      schema: { $ref: '/invalid-1.json#/definitions/text' },
      x: 'a',
      left: true,
    },
    { given: 'a schema with a format that is not text', schema: { format: 1 }, x: 1, left: true },
    { given: 'a schema with an id', schema: { $id: 'other' }, x: 1, left: true },
    { given: 'a part that is not supported, where the file has nothing', schema: {}, x: 1, y: { if: {} }, left: true },
  ])('with $given: $left', ({ schema, x, y = {}, left }) => {
    const schemas = new Map<string, unknown>([
      ['/common-1.json', { definitions: { crossref: { type: 'object' }, resourceref: { type: 'string' } } }],
      ['/invalid-1.json', { type: 1, definitions: { text: { type: 'string' } } }],
      ['/thing-1.yml', { properties: { x: schema, y } }],
    ]);
    const snapshot = handMadeSnapshot(
      {
        '/file.yml': { $schema: '/thing-1.yml', x },
        '/cluster.yml': { $schema: '/cluster-1.yml', name: 'c' },
        '/account.yml': { $schema: '/account-1.yml', name: 'a' },
      },
      { resources: ['/there.yaml'] },
    );
    expect(atOnce(unsettled(snapshot, schemas)).map(({ path }) => path)).toEqual(left ? ['/file.yml'] : []);
  });
});

describe.skipIf(!hasShared)('with the published schemas', async () => {
  const snapshot = await directorySource(EXAMPLE_INSTANCE, { describe: async () => undefined }).load();
  // What stands here runs also where the tests are skipped.
  const schemas = hasShared ? readSchemas(SCHEMAS) : new Map<string, unknown>();
  const paths = [...snapshot.datafiles.keys()];

  it('nothing of the example is left', () => {
    expect(atOnce(unsettled(snapshot, schemas))).toEqual([]);
  });

  it('whatever one file says, the validator finds the same in what is left as in everything', async () => {
    const change = fc.constantFrom<unknown>('', 'x', '/no', 5, -1, null, true, [], {}, ...paths.map(ref), undefined);
    await holdsAsync(
      fc.asyncProperty(fc.constantFrom(...paths), fc.nat(), change, async (path, place, to) => {
        const content = structuredClone(snapshot.datafiles.get(path)?.content ?? {});
        changePlace(content, place, to);
        const edited = { ...snapshot, datafiles: new Map(snapshot.datafiles).set(path, datafile(path, content)) };
        const left = atOnce(unsettled(edited, schemas));
        expect(atOnce(checkSchemas(edited, schemas, left))).toEqual(atOnce(checkSchemas(edited, schemas)));
      }),
      { numRuns: Number(process.env['ECHELON_SCHEMAS'] ?? 15) },
    );
  });

  it('whatever one schema says, the validator finds the same in what is left as in everything, or fails', async () => {
    const found = (files: () => Iterable<Datafile>, edited: SchemaSet): unknown => {
      try {
        return atOnce(checkSchemas(snapshot, edited, files()));
      } catch (thrown) {
        return messageOf(thrown);
      }
    };
    const files = [...snapshot.datafiles.values()];
    const edit = fc.record({
      file: fc.constantFrom(...files),
      isCommon: fc.boolean(),
      place: fc.nat(),
      to: fc.constantFrom(...SAID),
    });
    await holdsAsync(
      fc.asyncProperty(edit, async ({ file, isCommon, place, to }) => {
        const name = isCommon ? '/common-1.json' : (file.schema ?? '');
        const schema = structuredClone(schemas.get(name)) as object;
        changePlace(schema, place, to);
        const edited = new Map(schemas).set(name, schema);
        const left = () => atOnce(unsettled(snapshot, edited)).filter((each) => each === file);
        expect(found(left, edited)).toEqual(found(() => [file], edited));
      }),
      { numRuns: Number(process.env['ECHELON_SCHEMAS'] ?? 15) },
    );
  });
});

/** What a schema may say, and what it should not. */
const SAID: readonly unknown[] = [
  ...['', 'string', 'object', '^a', '(', CROSSREF, '/none-1.yml', '#', 0, 1, 2.5, null, true, false, [], {}, undefined],
  ...[['string', 'null'], ['name'], [{}], [true, false], { type: 'string' }, { name: ['x'] }, { not: {} }, { id: 'x' }],
  ...[CLUSTER, { anyOf: [CLUSTER, ACCOUNT] }, { oneOf: [CLUSTER, ACCOUNT] }, { enum: ['a', {}] }, { '^a': false }],
];

/** Sets the value at one of the places of a datafile, or removes it. */
function changePlace(content: object, place: number, to: unknown): void {
  const places: { of: Record<string, unknown>; key: string }[] = [];
  const visit = (of: object): void => {
    for (const [key, value] of Object.entries(of)) {
      places.push({ of: of as Record<string, unknown>, key });
      if (typeof value === 'object' && value !== null) visit(value);
    }
  };
  visit(content);
  const found = places[place % places.length];
  if (found === undefined) return;
  // What is taken from a list leaves no hole, which no file could give.
  if (to !== undefined) found.of[found.key] = to;
  else if (Array.isArray(found.of)) found.of.splice(Number(found.key), 1);
  else delete found.of[found.key];
}
