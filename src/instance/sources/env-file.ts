import type { Problem } from '../problem.ts';

export interface EnvFile {
  readonly values: ReadonlyMap<string, string>;
  readonly problems: readonly Problem[];
}

const LINE = /^export ([A-Za-z_][A-Za-z0-9_]*)=(.*)$/;

/** `.env` of an instance: lines `export KEY=VALUE`, read by a shell and by make, for which quotes are part of the value. */
export function parseEnvFile(text: string): EnvFile {
  const values = new Map<string, string>();
  const problems: Problem[] = [];
  for (const [index, raw] of text.split(/\r?\n/).entries()) {
    const line = raw.trimEnd();
    if (line === '' || line.trimStart().startsWith('#')) continue;
    const match = LINE.exec(line);
    if (match === null)
      problems.push(envProblem(index, 'the line is not of the form export KEY=VALUE', 'use that form'));
    else {
      const [, key = '', value = ''] = match;
      values.set(key, value);
      if (/["'\s$#]/.test(value)) {
        problems.push(
          envProblem(
            index,
            `the value of ${key} has quotes, blanks, $ or #`,
            'make reads this file too: use plain text',
          ),
        );
      }
    }
  }
  return { values, problems };
}

function envProblem(index: number, message: string, hint: string): Problem {
  return { rule: 'env-file', severity: 'warning', file: '.env', line: index + 1, column: 1, message, hint };
}
