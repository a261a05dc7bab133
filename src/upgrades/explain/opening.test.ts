import { describe, expect, it } from 'vitest';
import { at } from '../../../test/support/upgrade-facts.ts';
import { broken, openingText, pass, wait } from '../../gates/index.ts';
import { UPGRADE_GATES } from '../engine/decide.ts';
import type { UpgradeVerdict } from '../engine/gate.ts';
import { earliestOf, openingOf } from './opening.ts';

const VERSION = '4.19.2';
const NOON = at('2026-03-02T12:00:00Z');

describe('what has to happen before a gate opens', () => {
  it.each<{ verdict: UpgradeVerdict; text: string }>([
    { verdict: wait('sector', '…', { waitsOn: 'canary-1' }), text: 'after canary-1 runs 4.19.2 or a newer version' },
    {
      verdict: wait('soak', '…', { waitsOn: 'shop' }),
      text: 'after a healthy cluster with the workload shop runs 4.19.2',
    },
    { verdict: wait('soak', '…', { waitsOn: 'shop', until: NOON }), text: '2026-03-02T12:00:00Z' },
    { verdict: wait('mutex', '…', { waitsOn: 'prod-1' }), text: 'after the upgrade of prod-1 is over' },
    { verdict: wait('mutex', '…', { waitsOn: 'a, b' }), text: 'after one of the upgrades of a, b is over' },
    { verdict: wait('mutex', '…'), text: 'after its own upgrade is over' },
    { verdict: wait('busy', '…', { waitsOn: '4.18.9' }), text: 'after its upgrade to 4.18.9 is over' },
    { verdict: wait('version-gate', '…', { waitsOn: 'gate-ocp' }), text: 'after a user agrees to gate-ocp for 4.19' },
    {
      verdict: wait('blocked', '…', { waitsOn: 'block "19" of the cluster' }),
      text: 'after the block "19" of the cluster is removed',
    },
    { verdict: wait('health', '…'), text: 'after its health check passes again' },
    { verdict: broken('busy', 'cluster', '…'), text: 'after it has only one upgrade policy' },
    { verdict: broken('mutex', 'organization', '…'), text: 'after the limit of its sector is fixed' },
  ])('is told without the rest of the page: $text', ({ verdict, text }) => {
    expect(openingText(openingOf(verdict, VERSION))).toBe(text);
  });

  it.each([...UPGRADE_GATES.keys()].filter((gate) => gate !== 'soak'))(
    'is told even when the gate %s names nobody',
    (gate) => {
      expect(openingText(openingOf(wait(gate, '…'), VERSION))).not.toMatch(/that cluster|those|unknown/);
    },
  );
});

describe('when all gates can be open', () => {
  it('not before the latest time, and after everything that has none, each once', () => {
    const verdicts = [
      pass('available', '…'),
      wait('blocked', '…', { waitsOn: 'block "19" of the cluster' }),
      wait('sector', '…', { waitsOn: 'canary-1' }),
      wait('soak', '…', { until: at('2026-03-02T11:00:00Z') }),
      wait('schedule', '…', { until: NOON }),
    ];
    expect(openingText(earliestOf(verdicts, VERSION) ?? { after: '' })).toBe(
      '2026-03-02T12:00:00Z, and after the block "19" of the cluster is removed, ' +
        'and after canary-1 runs 4.19.2 or a newer version',
    );
  });

  it('an upgrade of its own is told once', () => {
    const verdicts = [wait('mutex', '…'), wait('busy', '…', { waitsOn: '4.18.9' })];
    expect(earliestOf(verdicts, VERSION)).toEqual({ after: 'its upgrade to 4.18.9 is over' });
  });

  it('is not told where none is closed', () => {
    expect(earliestOf([pass('soak', '…')], VERSION)).toBeUndefined();
  });
});
