import { describe, expect, it } from 'vitest';
import { at } from '../../../test/support/upgrade-facts.ts';
import { forecastCalendar } from './calendar.ts';
import { forecastDrawing } from './drawing.ts';
import type { ClusterForecast, Forecast } from './forecast.ts';

const FROM = at('2026-03-02T10:00:00Z');
const HOSTILE = 'a"><script>alert(1)</script>&amp;]]>\u0000\u001b[31m;x,y\\z\rBEGIN:VEVENT\nEND:VCALENDAR';
const LONG = `${'ü'.repeat(60)}😀`;

function forecastWith(name: string, made = FROM): Forecast {
  const cluster = {
    ...{ id: 'id-1', uuid: 'uuid-1', name, version: '4.18.1', environment: name, orgId: 'org-1', organization: name },
    upgrades: [
      {
        ...{ clusterId: 'id-1', nodePool: name, from: '4.18.1', version: '4.18.3' },
        ...{ startsAt: at('2026-03-02T10:07:00Z'), endsAt: at('2026-03-02T11:37:00Z') },
      },
    ],
    waiting: [{ since: FROM, action: 'wait', gate: 'soak', reason: name }],
  };
  const to = at('2026-03-12T10:00:00Z');
  return { from: made, to, assumptions: [name], clusters: [cluster as unknown as ClusterForecast] };
}

/** As a reader of calendars does it. */
const unfolded = (text: string): string[] => text.replaceAll('\r\n ', '').split('\r\n');

describe('a calendar', () => {
  it.each([{ name: HOSTILE }, { name: LONG }, { name: 'plain' }])(
    'has one event whatever is in it: $name',
    ({ name }) => {
      const text = forecastCalendar(forecastWith(name));
      const lines = text.split('\r\n');
      expect(lines.filter((line) => Buffer.byteLength(line) > 75)).toEqual([]);
      expect(text.replaceAll('\r\n', '')).not.toMatch(/\p{Cc}/u);
      expect(text).not.toContain('\ufffd');
      expect(unfolded(text).map((line) => line.split(/[:;]/)[0])).toEqual([
        ...['BEGIN', 'VERSION', 'PRODID', 'METHOD', 'BEGIN', 'UID', 'DTSTAMP', 'DTSTART', 'DTEND'],
        ...['SUMMARY', 'DESCRIPTION', 'END', 'END', ''],
      ]);
    },
  );

  it('keeps what is long, and the identity of an event from one forecast to the next', () => {
    const [one, other] = [FROM, at('2026-03-03T10:00:00Z')].map((made) =>
      unfolded(forecastCalendar(forecastWith(LONG, made))),
    );
    expect(one).toContain(`SUMMARY:${LONG} ${LONG}: 4.18.1 to 4.18.3`);
    expect(one?.filter((line) => line.startsWith('UID:'))).toEqual(other?.filter((line) => line.startsWith('UID:')));
    expect(one).not.toEqual(other);
  });
});

describe('a drawing', () => {
  it('has only markup of its own, and nothing that XML forbids', () => {
    const text = forecastDrawing(forecastWith(HOSTILE));
    const tags = new Set([...text.matchAll(/<\/?([^\s>/]+)/g)].map(([, tag]) => tag));
    expect([...tags].sort()).toEqual(['desc', 'g', 'line', 'rect', 'svg', 'text', 'title']);
    expect(text).toContain('&lt;script&gt;alert(1)&lt;/script&gt;&amp;amp;]]&gt;');
    expect(text).not.toMatch(/(?![\n\r])\p{Cc}/u);
    expect(text.match(/&(?!(?:amp|lt|gt|quot);)/g)).toBeNull();
  });
});
