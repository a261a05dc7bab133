import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { shellWords } from '../../src/base/index.ts';
import { buildProgram } from '../../src/cli/commands.ts';
import { runCli } from '../support/run-cli.ts';

const SILENT = { write: () => undefined, isTTY: false };
const IO = { stdout: SILENT, stderr: SILENT, env: {}, cwd: '/', signal: new AbortController().signal };

function build(args: readonly string[]): Promise<Command> {
  return buildProgram(IO, () => undefined, args);
}

function everyCommand(command: Command, path: readonly string[] = []): { path: string[]; command: Command }[] {
  return command.commands
    .filter((child) => !child.name().startsWith('_'))
    .flatMap((child) => [
      { path: [...path, child.name()], command: child },
      ...everyCommand(child, [...path, child.name()]),
    ]);
}

const COMMANDS = everyCommand(await build(['__complete'])).filter(({ path }) => path[0] !== 'help');
/** Those that do something: a group of commands only lists them. */
const LEAVES = COMMANDS.filter(({ command }) => command.commands.length === 0);

/** The command lines under the title, up to the next blank line. */
function examplesIn(help: string): string[] {
  const [, after = ''] = help.split('\nExamples:\n');
  const [lines = ''] = after.split('\n\n');
  return lines
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

/** Which command a command line would run, after all of it was parsed. */
async function parsedAs(line: string): Promise<string | undefined> {
  const [program, ...args] = shellWords(line, 'an example');
  const root = await build(args);
  let ran: string | undefined;
  for (const { path, command } of everyCommand(root)) {
    command.exitOverride().action(() => {
      ran = path.join(' ');
    });
  }
  await root.exitOverride().parseAsync(args, { from: 'user' });
  return program === 'echelon' ? ran : undefined;
}

describe('examples in the help', () => {
  it.each(LEAVES.map(({ path }) => path.join(' ')))('of %s parse as that command', async (path) => {
    const { code, stdout } = await runCli([...path.split(' '), '--help'], { columns: 200 });
    const examples = examplesIn(stdout);
    expect(code).toBe(0);
    expect(examples, `add one in src/cli/command.ts`).not.toEqual([]);
    for (const example of examples) expect(await parsedAs(example), example).toBe(path);
  });
});

describe('echelon help with several words', () => {
  it.each([['manager'], ['manager', 'plan'], ['aus', 'apply', 'policies'], ['validate']])(
    '%s %s %s',
    async (...words) => {
      const path = words.filter((word) => word !== undefined);
      expect(await runCli(['help', ...path])).toEqual(await runCli([...path, '--help']));
    },
  );

  it.each([
    { words: ['manager', 'paln'], says: "unknown command 'paln'" },
    { words: ['manager', 'plan', 'more'], says: "unknown command 'more'" },
    { words: ['nosuch', 'plan'], says: "unknown command 'nosuch'" },
  ])('of $words is an error', async ({ words, says }) => {
    const { code, stdout, stderr } = await runCli(['help', ...words]);
    expect({ code, stdout }).toEqual({ code: 64, stdout: '' });
    expect(stderr).toContain(says);
  });
});

describe('exit codes in the help', () => {
  const USUAL = '  0   success\n  1   problems found, or the command failed\n  64  invalid command line\n';
  it.each([
    { path: 'validate', codes: USUAL },
    {
      path: 'manager diff',
      codes: '  0   no differences\n  1   differences\n  2   the command failed\n  64  invalid command line\n',
    },
    {
      path: 'manager plan',
      codes:
        '  0   success\n  1   problems found, or the command failed\n  2   changes, with --detailed-exitcode\n  64  invalid command line\n',
    },
    {
      path: 'shadow',
      codes: '  0   the same actions\n  1   other actions\n  2   could not be compared\n  64  invalid command line\n',
    },
  ])('of $path', async ({ path, codes }) => {
    const { stdout } = await runCli([...path.split(' '), '--help']);
    expect(stdout.split('Exit codes:\n').slice(1)).toEqual([codes]);
  });

  it.each(LEAVES.map(({ path }) => path.join(' ')))('of %s are there once', async (path) => {
    expect((await runCli([...path.split(' '), '--help'])).stdout.match(/Exit codes:/g)).toHaveLength(1);
  });
});

describe('options in the help', () => {
  it('are in groups, the own ones of a command first', async () => {
    const { stdout } = await runCli(['manager', 'apply', '--help']);
    const titles = stdout.split('\n').filter((line) => /^[A-Z][a-z ]+:$/.test(line));
    expect(titles).toEqual([
      ...[
        'Arguments:',
        'Options:',
        'Instance:',
        'Selection:',
        'Images and chart:',
        'Clusters:',
        'Output:',
        'Rollouts:',
      ],
      ...['Changes:', 'Examples:', 'Exit codes:'],
    ]);
  });

  it.each(COMMANDS.map(({ path }) => path.join(' ')))('of %s are each listed once', async (path) => {
    const { stdout } = await runCli([...path.split(' '), '--help'], { columns: 200 });
    const [options = ''] = stdout.split('\nExamples:');
    const flags = [...options.matchAll(/^ {2}(?:-\w, )?(--[\w-]+)/gm)].map(([, flag]) => flag);
    expect(new Set(flags).size).toBe(flags.length);
  });
});
