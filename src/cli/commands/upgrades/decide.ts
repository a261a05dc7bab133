import { statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { EchelonError, humanBytes, messageOf } from '../../../base/index.ts';
import { DEFAULT_RULES, decideFile, parseRules } from '../../../upgrades/index.ts';
import type { Context } from '../../context.ts';
import { EXIT } from '../../io.ts';
import { document } from '../../output/formats.ts';
import type { DecideFlags } from './commands.ts';

/** Enough for an organization of ten thousand clusters. */
const MAX_FACTS_BYTES = 64 * 1024 * 1024;

/** Runs the engine on a file: what would be scheduled for one organization at one time. Fails when the organization is stopped. */
export async function decide(ctx: Context, flags: DecideFlags): Promise<number> {
  const rules = flags.rules === undefined ? DEFAULT_RULES : parseRules(flags.rules);
  const name = flags.filename === '-' ? 'standard input' : flags.filename;
  const facts = parseJson(await readFacts(ctx, flags.filename, name), name);
  const decision = decideFile(facts, { rules, name, explain: flags.explain ?? false });
  ctx.out.write(await document(flags.output, decision));
  return 'error' in decision ? EXIT.failed : EXIT.ok;
}

async function readFacts(ctx: Context, file: string, name: string): Promise<string> {
  if (file === '-') return ctx.stdin === undefined ? '' : text(ctx.stdin());
  const path = resolve(ctx.cwd, file);
  try {
    const { size } = statSync(path);
    if (size > MAX_FACTS_BYTES) throw unreadable(`${name} is larger than ${humanBytes(MAX_FACTS_BYTES)}`);
    return await readFile(path, 'utf8');
  } catch (thrown) {
    if (thrown instanceof EchelonError) throw thrown;
    throw unreadable(`cannot read ${name}: ${(thrown as NodeJS.ErrnoException).code}`, thrown);
  }
}

function unreadable(message: string, cause?: unknown): EchelonError {
  return new EchelonError({
    code: 'FACTS_UNREADABLE',
    message,
    hint: 'pass a JSON file with the facts of one organization with -f, or - for standard input',
    cause,
  });
}

function parseJson(content: string, name: string): unknown {
  try {
    return JSON.parse(content);
  } catch (thrown) {
    throw new EchelonError({
      code: 'FACTS_INVALID',
      message: `${name} is not JSON: ${messageOf(thrown)}`,
      hint: 'use one JSON document with the input of a decision',
      cause: thrown,
    });
  }
}
