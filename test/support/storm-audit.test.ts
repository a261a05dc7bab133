import { describe, expect, it } from 'vitest';
import type { AuditEvent } from './real-kube-audit.ts';
import { auditStorm, lateKey } from './storm-audit.ts';

const FACTS = {
  namespace: 'ns',
  managers: new Set(['one', 'two']),
  foreign: new Set(['deployments/theirs']),
  late: [],
};

/** `one patch deployments/a 200`, each a second after the one before. */
function events(...lines: string[]): AuditEvent[] {
  return lines.map((line, second) => {
    const [user = '', verb = '', target = '', code = '200', dry] = line.split(' ');
    const [resource, name] = target.split('/');
    const time = (part: string): string => `2026-01-01T00:00:${String(second).padStart(2, '0')}.${part}Z`;
    return {
      ...{ user, verb, resource, name, namespace: 'ns', subresource: undefined, code: Number(code) },
      ...(dry === undefined ? {} : { dryRun: true as const }),
      ...{ requestURI: `/x/${target}?fieldManager=m`, received: time('100000'), answered: time('200000') },
    };
  });
}

describe('what the server recorded of a storm', () => {
  const counted = (lines: string[], late: string[] = []) => {
    const found = auditStorm(events(...lines), { ...FACTS, late });
    return [found.writes, found.changesOfLeader, found.byNonLeaders.length, found.foreign.length];
  };
  it.each<[string, string[], number[]]>([
    ['a leader that writes', ['one create leases/m', 'one patch deployments/a'], [1, 0, 0, 0]],
    ['a write without a lease', ['one patch deployments/a'], [1, 0, 1, 0]],
    ['one that lost', ['one create leases/m', 'two update leases/m', 'one patch deployments/a'], [1, 1, 1, 0]],
    ['one refused', ['one create leases/m', 'two update leases/m', 'one patch deployments/a 409'], [0, 1, 0, 0]],
    [
      'a lost race for the lease',
      ['one create leases/m', 'two update leases/m 409', 'one patch deployments/a'],
      [1, 0, 0, 0],
    ],
    [
      'a rehearsal of one who waits',
      ['one create leases/m', 'two update leases/m 200 dry', 'one patch deployments/a'],
      [1, 0, 0, 0],
    ],
    ['somebody else', ['one create leases/m', 'somebody patch deployments/a'], [0, 0, 0, 0]],
    ['a foreign object', ['one create leases/m', 'one delete deployments/theirs 409'], [0, 0, 0, 1]],
  ])('%s', (_, lines, expected) => {
    expect(counted(lines)).toEqual(expected);
  });

  it('sets aside a write that was held on its way, once', () => {
    const lines = ['one create leases/m', 'two update leases/m', 'one patch deployments/a', 'one patch deployments/a'];
    expect(counted(lines, [lateKey('one', 'patch', '/x/deployments/a')])).toEqual([2, 1, 1, 0]);
  });
});
