import { describe, expect, it } from 'vitest';
import { zeroOf } from '../normalize.ts';
import type { Fields } from '../objects.ts';
import { DEPLOYMENTS } from '../resources.ts';
import type { Managers } from './managed-fields.ts';
import { pathText } from './path-element.ts';
import { apply, managersAfterUpdate } from './updater.ts';

interface State {
  readonly object: unknown;
  readonly managers: Managers;
}

const START: State = { object: zeroOf(DEPLOYMENTS.type), managers: new Map() };
const { type, reset, apiVersion } = DEPLOYMENTS;

function actor(manager: string) {
  return { manager, apiVersion, subresource: '', time: '2026-01-01T00:00:00Z' };
}

function applied({ object: live, managers }: State, manager: string, config: Fields, force = false) {
  const {
    next,
    managers: after,
    conflicts,
  } = apply(managers, { live, config, type, reset, actor: actor(manager), force });
  return {
    object: next,
    managers: after,
    conflicts: conflicts.map(({ path, managed }) => `${managed.manager}${pathText(path)}`),
  };
}

function updated({ object: live, managers }: State, manager: string, next: Fields): State {
  return { object: next, managers: managersAfterUpdate(managers, { live, next, type, reset, actor: actor(manager) }) };
}

function owned({ managers }: State, manager: string): string[] {
  const own = [...managers.values()].find((managed) => managed.manager === manager);
  return (own?.fields.paths() ?? []).map(pathText);
}

const containers = (...list: readonly Fields[]): Fields => ({ template: { spec: { containers: list } } });

describe('what an applier sets', () => {
  it('is its own: leaves, items and their keys, and not the structs around them', () => {
    const state = applied(START, 'a', {
      metadata: { name: 'd', labels: { x: '1' } },
      spec: { replicas: 1, selector: { matchLabels: { x: '1' } }, ...containers({ name: 'c', args: ['1'] }) },
    });
    expect(owned(state, 'a')).toEqual([
      '.metadata.labels.x',
      '.spec.replicas',
      '.spec.selector',
      '.spec.template.spec.containers[name="c"]',
      '.spec.template.spec.containers[name="c"].args',
      '.spec.template.spec.containers[name="c"].name',
    ]);
  });

  it('goes when it no longer sets it, and stays where another one owns it', () => {
    const first = applied(START, 'a', { metadata: { labels: { x: '1', y: '1' } }, spec: { replicas: 2 } });
    const second = applied(first, 'b', { metadata: { labels: { y: '1' } } });
    const third = applied(second, 'a', { spec: { replicas: 2 } });
    expect(third.object).toMatchObject({ metadata: { labels: { y: '1' } }, spec: { replicas: 2 } });
    expect((third.object as { metadata: { labels: Fields } }).metadata.labels).not.toHaveProperty('x');
    expect(owned(third, 'b')).toEqual(['.metadata.labels.y']);
  });

  it('goes with the whole item when nobody else owns a field of it', () => {
    const first = applied(START, 'a', { spec: containers({ name: 'c', image: 'i' }, { name: 'd', image: 'i' }) });
    const live = structuredClone(first.object) as { spec: { template: { spec: { containers: Fields[] } } } };
    live.spec.template.spec.containers = live.spec.template.spec.containers.map((each) => ({ ...each, tty: true }));
    const second = applied({ object: live, managers: first.managers }, 'a', {
      spec: containers({ name: 'c', image: 'i' }),
    });
    expect(second.object).toMatchObject({ spec: { template: { spec: { containers: [{ name: 'c' }] } } } });
  });

  it('is not lost when nobody ever owned it', () => {
    const first = applied(START, 'a', { metadata: { labels: { x: '1' } } });
    const live = { ...(first.object as Fields), spec: { replicas: 7 } };
    expect(applied({ object: live, managers: first.managers }, 'a', { metadata: { labels: {} } }).object).toMatchObject(
      { spec: { replicas: 7 } },
    );
  });
});

describe('a conflict', () => {
  const first = applied(START, 'a', { metadata: { labels: { x: '1' } }, spec: { replicas: 1 } });

  it.each([
    { given: 'another value', config: { spec: { replicas: 2 } }, conflicts: ['a.spec.replicas'] },
    { given: 'the same value', config: { spec: { replicas: 1 } }, conflicts: [] },
    { given: 'another field', config: { spec: { paused: true } }, conflicts: [] },
    {
      given: 'two other values',
      config: { metadata: { labels: { x: '2' } }, spec: { replicas: 3 } },
      conflicts: ['a.metadata.labels.x', 'a.spec.replicas'],
    },
  ])('with $given is over $conflicts', ({ config, conflicts }) => {
    expect(applied(first, 'b', config).conflicts).toEqual(conflicts);
  });

  it('leaves everything as it was', () => {
    const second = applied(first, 'b', { spec: { replicas: 2 } });
    expect(second.object).toEqual(first.object);
    expect(owned(second, 'a')).toContain('.spec.replicas');
  });

  it('that is forced takes the field', () => {
    const second = applied(first, 'b', { spec: { replicas: 2 } }, true);
    expect([owned(second, 'a'), owned(second, 'b')]).toEqual([['.metadata.labels.x'], ['.spec.replicas']]);
  });
});

describe('a write that is no apply', () => {
  it('takes what it changes, adds and removes from others', () => {
    const first = applied(START, 'a', { metadata: { labels: { x: '1', y: '1' } }, spec: { replicas: 1 } });
    const live = first.object as { metadata: Fields; spec: Fields };
    const second = updated(first, 'b', { ...live, metadata: { ...live.metadata, labels: { x: '2' } } });
    expect([owned(second, 'a'), owned(second, 'b')]).toEqual([['.spec.replicas'], ['.metadata.labels.x']]);
  });

  it('owns nothing of what it leaves alone or may not change', () => {
    const first = applied(START, 'a', { spec: { replicas: 1 } });
    const second = updated(first, 'b', { ...(first.object as Fields), status: { replicas: 1 } });
    expect(second.managers.size).toBe(1);
  });
});
