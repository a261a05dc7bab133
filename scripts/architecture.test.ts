import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { WALKS } from '../test/support/walks.ts';

const REPO = join(import.meta.dirname, '..');

/** The text of all sources of a room, without tests. */
function sourcesOf(room: string): string {
  return readdirSync(join(REPO, 'src', room), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts') && !entry.name.endsWith('.test.ts'))
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
    .join('\n');
}

function defines(source: string, name: string): boolean {
  return new RegExp(
    `\\b(?:function\\*?|const|class|interface|type) ${name}\\b|^  (?:async )?${name}(?:\\(|: async|:? ?\\()`,
    'mu',
  ).test(source);
}

describe('the walks of docs/architecture.md', () => {
  it('are there: one for each job', () => {
    expect(WALKS).toHaveLength(3);
  });

  it.each(WALKS)('$title enters each room once, beginning with cli', ({ rooms }) => {
    expect(rooms[0]).toBe('cli');
    expect(rooms).toEqual([...new Set(rooms)]);
  });

  it.each(WALKS)('$title names only what its rooms define', ({ rooms, functions }) => {
    const source = rooms.map(sourcesOf).join('\n');
    expect(functions.filter((name) => !defines(source, name))).toEqual([]);
    expect(functions.length).toBeGreaterThan(10);
  });
});
