import { describe, expect, it } from 'vitest';
import { instantOf } from '../../gates/index.ts';
import { requireRollouts } from '../../rollouts/index.ts';
import { newOverrule, type OverruleRequest } from './new-overrule.ts';

const NOW = instantOf(Date.UTC(2026, 10, 16, 10));
const FILE = requireRollouts(
  'tracks: [{ name: terraform, match: {}, waves: [{ name: all }], health: { queries: [] } }]',
  'rollouts.yml',
);
const PAUSE: OverruleRequest = { track: 'terraform', action: 'pause', reason: 'INC-123', for: '4h' };
const { for: _, ...ENDLESS } = PAUSE;
const ACCEPT: OverruleRequest = { ...ENDLESS, action: 'accept-shadow', digest: 'sha256:0123456789ab' };

describe('an overrule that is asked for', () => {
  it.each([
    { given: '--for', request: PAUSE, until: '2026-11-16T14:00:00Z' },
    { given: '--until', request: { ...ENDLESS, until: '2026-11-17 08:00:00' }, until: '2026-11-17 08:00:00' },
    { given: '--until in a zone', request: { ...ENDLESS, until: '2026-11-16T11:00:01+01:00' } },
    { given: 'a digest', request: ACCEPT },
    { given: 'no end for a reject', request: { ...ENDLESS, action: 'reject' as const, image: '8c41f7e' } },
  ])('with $given', ({ request, until = request.until }) => {
    expect(newOverrule(FILE, request, NOW)).toEqual({
      ...{ track: 'terraform', action: request.action, at: '2026-11-16T10:00:00Z', reason: 'INC-123' },
      ...(until === undefined ? {} : { until }),
      ...('image' in request ? { image: request.image } : {}),
      ...('digest' in request ? { digest: request.digest } : {}),
    });
  });

  it.each<{ given: string; request: OverruleRequest; says: RegExp }>([
    { given: 'a mistyped track', request: { ...PAUSE, track: 'terrafrom' }, says: /no track terrafrom/ },
    { given: 'a pause for ever', request: ENDLESS, says: /pause needs an end/ },
    { given: 'an expedite for ever', request: { ...ENDLESS, action: 'expedite' }, says: /expedite needs an end/ },
    { given: 'two ends', request: { ...PAUSE, until: '2026-11-17T08:00:00Z' }, says: /two ends/ },
    { given: 'no duration', request: { ...PAUSE, for: 'a while' }, says: /--for a while is not valid/ },
    { given: 'no time at all', request: { ...PAUSE, for: '0h' }, says: /not in the future/ },
    { given: 'an end beyond all dates', request: { ...PAUSE, for: '999999d'.repeat(9) }, says: /is not valid/ },
    { given: 'a day', request: { ...ENDLESS, until: '2026-11-17' }, says: /--until 2026-11-17 is not valid/ },
    { given: 'now', request: { ...ENDLESS, until: '2026-11-16T10:00:00Z' }, says: /not in the future/ },
    { given: 'a blank reason', request: { ...PAUSE, reason: ' ' }, says: /--reason is empty/ },
    {
      given: 'a short digest',
      request: { ...ACCEPT, digest: 'sha256:01' },
      says: /--digest "sha256:01" is not the digest/,
    },
    { given: 'two images', request: { ...PAUSE, image: 'a b' }, says: /"a b" is not an image/ },
  ])('is refused with $given', ({ request, says }) => {
    expect(() => newOverrule(FILE, request, NOW)).toThrow(says);
  });

  it('suggests the track that was meant', () => {
    expect(() => newOverrule(FILE, { ...PAUSE, track: 'terrafrom' }, NOW)).toThrow(
      expect.objectContaining({ code: 'TRACK_UNKNOWN', hint: 'did you mean terraform?' }),
    );
  });
});
