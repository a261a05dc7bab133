import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { handMadeSnapshot, integration, leanNamespace, managedIn } from '../../test/support/hand-made-snapshot.ts';
import { holds } from '../../test/support/property.ts';
import { type IntegrationSpec, type Managed, readInstance, type ShardOverride } from '../instance/index.ts';
import { objectName, settingsOf, workloadOf } from './shard.ts';

type Override = Omit<ShardOverride, 'shard'>;

const SMALL = { requests: { cpu: '100m', memory: '1Mi' }, limits: { memory: '1Mi' } };
const BIG = { requests: { cpu: '2', memory: '4Gi' } };

describe('override precedence', () => {
  it.each([
    { given: 'neither', spec: {}, override: undefined, image: undefined, from: 'default' },
    { given: 'only the spec', spec: { imageRef: 'a' }, override: undefined, image: 'a', from: 'spec' },
    { given: 'an override of other things', spec: { imageRef: 'a' }, override: {}, image: 'a', from: 'spec' },
    { given: 'only the override', spec: {}, override: { imageRef: 'b' }, image: 'b', from: 'override' },
    { given: 'both', spec: { imageRef: 'a' }, override: { imageRef: 'b' }, image: 'b', from: 'override' },
    { given: 'both alike', spec: { imageRef: 'a' }, override: { imageRef: 'a' }, image: 'a', from: 'override' },
  ])('with $given the image is $image, by $from', ({ spec, override, image, from }) => {
    const settings = settingsOf({ resources: SMALL, ...spec }, override);
    expect({ image: settings.imageRef, from: settings.imageFrom }).toEqual({ image, from });
    expect('imageRef' in settings).toBe(image !== undefined);
  });

  it.each([
    { given: 'no override', override: undefined, resources: SMALL, from: 'spec' },
    { given: 'an override without them', override: { disabled: true }, resources: SMALL, from: 'spec' },
    { given: 'an override, as a whole', override: { resources: BIG }, resources: BIG, from: 'override' },
    { given: 'an empty override, as a whole', override: { resources: {} }, resources: {}, from: 'override' },
  ])('with $given resources are of the $from', ({ override, resources, from }) => {
    const settings = settingsOf({ resources: SMALL }, override);
    expect({ resources: settings.resources, from: settings.resourcesFrom }).toEqual({ resources, from });
  });

  it.each([
    { override: undefined, disabled: false },
    { override: {}, disabled: false },
    { override: { disabled: false }, disabled: false },
    { override: { disabled: true }, disabled: true },
  ])('with $override a shard is disabled: $disabled', ({ override, disabled }) => {
    expect(settingsOf({ resources: SMALL }, override).disabled).toBe(disabled);
  });
});

const text = fc.string({ minLength: 1, maxLength: 8 });
const amounts = fc.record({ cpu: text, memory: text }, { requiredKeys: [] });
const resources = fc.record({ requests: amounts, limits: amounts }, { requiredKeys: [] });
const SPEC: fc.Arbitrary<IntegrationSpec> = fc.record(
  { resources, imageRef: text, extraArgs: text, cache: fc.boolean() },
  { requiredKeys: ['resources'] },
);
const OVERRIDE: fc.Arbitrary<Override> = fc.record(
  { resources, imageRef: text, disabled: fc.boolean() },
  { requiredKeys: [] },
);

describe('S2: override precedence is a total, pure function; removing an override restores the default exactly', () => {
  it('S2: every spec and override give settings, each from where it says', () => {
    holds(
      fc.property(SPEC, OVERRIDE, (spec, override) => {
        const settings = settingsOf(spec, override);
        expect(settings.imageRef).toBe(
          { override: override.imageRef, spec: spec.imageRef, default: undefined }[settings.imageFrom],
        );
        expect(settings.resources).toBe({ override: override.resources, spec: spec.resources }[settings.resourcesFrom]);
        expect(settings.disabled).toBe(override.disabled === true);
      }),
    );
  });

  it('S2: nothing given is changed, and the same gives the same', () => {
    holds(
      fc.property(SPEC, OVERRIDE, (spec, override) => {
        const before = structuredClone({ spec, override });
        const [first, second] = [settingsOf(spec, override), settingsOf(spec, override)];
        expect(first).toEqual(second);
        expect({ spec, override }).toEqual(before);
      }),
    );
  });

  it('S2: without its fields, or without itself, an override leaves what was there before', () => {
    holds(
      fc.property(SPEC, OVERRIDE, (spec, override) => {
        const before = settingsOf(spec, undefined);
        settingsOf(spec, override);
        expect(settingsOf(spec, undefined)).toEqual(before);
        expect(settingsOf(spec, {})).toEqual(before);
      }),
    );
  });

  it('S2: removing one field of an override restores that setting and no other', () => {
    holds(
      fc.property(SPEC, OVERRIDE, fc.constantFrom('imageRef', 'resources', 'disabled'), (spec, override, field) => {
        const { [field]: _, ...rest } = override;
        const [whole, fewer, bare] = [override, rest, undefined].map((given) => settingsOf(spec, given));
        expect(fewer?.[field]).toEqual(bare?.[field]);
        for (const other of (['imageRef', 'resources', 'disabled'] as const).filter((name) => name !== field)) {
          expect(fewer?.[other]).toEqual(whole?.[other]);
        }
      }),
    );
  });
});

describe('the object of a shard', () => {
  it.each([
    { spec: {}, kind: 'Deployment' },
    { spec: { cache: false }, kind: 'Deployment' },
    { spec: { state: true }, kind: 'Deployment' },
    { spec: { storage: '5Gi' }, kind: 'Deployment' },
    { spec: { cache: true }, kind: 'StatefulSet' },
    { spec: { cron: '0 8 * * *' }, kind: 'CronJob' },
    { spec: { cron: '0 8 * * *', cache: true }, kind: 'CronJob' },
  ])('with $spec is a $kind', ({ spec, kind }) => {
    expect(workloadOf(managed(spec))).toBe(kind);
  });

  it.each([
    { suffix: '', name: 'qontract-reconcile-terraform-resources' },
    { suffix: '-0', name: 'qontract-reconcile-terraform-resources-0' },
    { suffix: '-cluster-1-0', name: 'qontract-reconcile-terraform-resources-cluster-1-0' },
  ])('with the suffix "$suffix" is named as in existing fleets', ({ suffix, name }) => {
    expect(objectName({ name: 'terraform-resources' }, { suffix })).toBe(name);
  });
});

function managed(spec: object): Managed {
  const entry = managedIn('/ns.yml', { spec: { resources: {}, ...spec } });
  const files = { '/ns.yml': leanNamespace('ns'), '/i.yml': integration('i', { managed: [entry] }) };
  return readInstance(handMadeSnapshot(files)).integrations[0]!.managed[0]!;
}
