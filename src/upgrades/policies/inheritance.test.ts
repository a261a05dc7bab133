import { describe, expect, it } from 'vitest';
import { inheritanceNetwork, inheritanceOf } from './inheritance.ts';

const NETWORK = inheritanceNetwork(
  new Map([
    ['o1', { environment: 'prod', inherit: ['o2', 'o3', 'nobody'], publish: [] }],
    ['o2', { environment: 'stage', inherit: [], publish: ['o1'] }],
    ['o3', { environment: 'stage', inherit: ['o3'], publish: ['o3'] }],
    ['o4', { environment: 'stage', inherit: ['o4', 'o2'], publish: [] }],
  ]),
);

describe('an inherited history', () => {
  it('is of who publishes it to the organization', () => {
    const { inherit, faults } = inheritanceOf('o1', NETWORK);
    expect(inherit).toEqual([{ environment: 'stage', orgId: 'o2' }]);
    expect(faults).toEqual([
      {
        severity: 'error',
        key: 'sre-capabilities.aus.version-data.inherit',
        message: 'no history published to this organization by nobody, o3',
        hint: 'have o1 added to sre-capabilities.aus.version-data.publish there, or remove them here',
      },
    ]);
  });

  it.each(['o3', 'o4'])('is never the own one, as %s asks for', (id) => {
    const { inherit, faults } = inheritanceOf(id, NETWORK);
    expect(inherit).toEqual([]);
    expect(faults[0]?.message).toBe('the organization inherits from itself');
    expect(faults.slice(1).every(({ message }) => !message.includes(id))).toBe(true);
  });

  it('is nothing where none is asked for', () => {
    expect(inheritanceOf('o2', NETWORK)).toEqual({ inherit: [], faults: [] });
    expect(NETWORK.has('o2')).toBe(false);
  });
});
