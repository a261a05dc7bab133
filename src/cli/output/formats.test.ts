import { describe, expect, it } from 'vitest';
import type { Io } from '../io.ts';
import { documentWriters, FORMATS, isDocument, isForTerminal, type Writers, writerFor } from './formats.ts';

const WRITERS: Writers<{ readonly name: string }> = {
  table: (io, { name }, paint) => io.stdout.write(`${paint('bold', 'NAME')}\n${name}\n`),
  wide: undefined,
  ...documentWriters(({ name }) => ({ kind: 'Named', name })),
  name: undefined,
  markdown: undefined,
};

async function written(format: (typeof FORMATS)[number]): Promise<string> {
  const parts: string[] = [];
  const output = {
    isTTY: false,
    write: (part: string) => {
      parts.push(part);
    },
  };
  const io: Io = { stdout: output, stderr: output, env: {}, cwd: '/', signal: new AbortController().signal };
  await writerFor(WRITERS, format, 'get names')(io, { name: 'a' }, (_, plain) => plain);
  return parts.join('');
}

describe('a table of writers', () => {
  it.each([
    { format: 'table', text: 'NAME\na\n' },
    { format: 'json', text: '{\n  "kind": "Named",\n  "name": "a"\n}\n' },
    { format: 'yaml', text: 'kind: Named\nname: a\n' },
  ] as const)('writes $format', async ({ format, text }) => {
    expect(await written(format)).toBe(text);
  });

  it('refuses a format that it has no writer for, and names those that it has', () => {
    expect(() => writerFor(WRITERS, 'wide', 'get names')).toThrow(
      expect.objectContaining({
        code: 'FORMAT_UNSUPPORTED',
        message: 'get names does not support -o wide',
        hint: 'use -o table|json|yaml',
      }),
    );
  });
});

describe('formats', () => {
  it('are for programs or for a terminal, never both', () => {
    expect(FORMATS.filter(isDocument)).toEqual(['json', 'yaml']);
    expect(FORMATS.filter(isForTerminal)).toEqual(['table', 'wide']);
  });
});
