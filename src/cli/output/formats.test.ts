import { describe, expect, it } from 'vitest';
import { contextOf } from '../context.ts';
import { FORMATS, isDocument, isForTerminal } from '../options.ts';
import { documentWriters, print, type Writers } from './formats.ts';

const WRITERS: Writers<{ readonly name: string }, 'table' | 'json' | 'yaml'> = {
  table: ({ out }, { name }) => out.write(`${out.paint('bold', 'NAME')}\n${name}\n`),
  ...documentWriters('Named', ({ name }) => ({ name })),
};

async function written(format: keyof typeof WRITERS): Promise<string> {
  const parts: string[] = [];
  const output = {
    isTTY: false,
    write: (part: string) => {
      parts.push(part);
    },
  };
  const io = { stdout: output, stderr: output, env: {}, cwd: '/', signal: new AbortController().signal };
  await print(contextOf(io), WRITERS, format, { name: 'a' });
  return parts.join('');
}

describe('a table of writers', () => {
  it.each([
    { format: 'table', text: 'NAME\na\n' },
    { format: 'json', text: '{\n  "apiVersion": "echelon/v1",\n  "kind": "Named",\n  "name": "a"\n}\n' },
    { format: 'yaml', text: 'apiVersion: echelon/v1\nkind: Named\nname: a\n' },
  ] as const)('writes $format', async ({ format, text }) => {
    expect(await written(format)).toBe(text);
  });
});

describe('formats', () => {
  it('are for programs or for a terminal, never both', () => {
    expect(FORMATS.filter(isDocument)).toEqual(['json', 'yaml']);
    expect(FORMATS.filter(isForTerminal)).toEqual(['table', 'wide']);
  });
});
