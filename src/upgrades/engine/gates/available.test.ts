import { describe, expect, it } from 'vitest';
import { availableGate } from './available.ts';

describe('the gate of what OCM offers', () => {
  it.each(['4.14.2', '4.16.0-rc.1'])('is open for %s', (version) => {
    expect(availableGate(version)).toEqual({ gate: 'available', ok: true, reason: 'OCM offers it' });
  });

  it.each(['4.14', 'v4.14.2', ''])('cannot be read for "%s"', (version) => {
    expect(availableGate(version)).toMatchObject({ ok: false, fault: 'cluster' });
  });
});
