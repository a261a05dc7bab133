import { readFile } from 'node:fs/promises';
import type * as z from 'zod';
import { count, EchelonError, messageOf } from '../../../base/index.ts';
import { loadYamlDocuments } from '../../../instance/index.ts';
import { expandFleet, type FleetProblem } from './expand.ts';
import type { FleetFile } from './fleet.ts';
import { fleetShape } from './shape.ts';

interface FleetOptions {
  /** Shown in errors. */
  readonly file?: string;
  /** Day 0, instead of the `start` of the fleet; absolute dates do not change. */
  readonly start?: Date;
}

const MOST_PROBLEMS = 10;

/** The fleet of a YAML file. */
export async function loadFleet(file: string, options: Omit<FleetOptions, 'file'> = {}): Promise<FleetFile> {
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw new EchelonError({
      code: 'FLEET_UNREADABLE',
      message: `cannot read fleet ${file}: ${messageOf(cause)}`,
      hint: 'pass a fleet file, such as examples/fleet/fleet.yml',
      cause,
    });
  });
  return parseFleet(yamlIn(text, file), { ...options, file });
}

/** The fleet of a value in the format of a fleet file. */
export function parseFleet(value: unknown, options: FleetOptions = {}): FleetFile {
  const file = options.file ?? 'fleet';
  const result = fleetShape.safeParse(value);
  if (!result.success) throw invalid(file, result.error.issues.map(asProblem));
  const { fleet, problems } = expandFleet(result.data, options.start);
  if (problems.length > 0) throw invalid(file, problems);
  return fleet;
}

function yamlIn(text: string, file: string): unknown {
  try {
    const [value] = loadYamlDocuments(text);
    return value;
  } catch (cause) {
    throw invalid(file, [{ path: '', text: `not valid YAML: ${messageOf(cause)}` }]);
  }
}

function asProblem({ path, message }: z.core.$ZodIssue): FleetProblem {
  const spelled = path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`)).join('');
  return { path: spelled.replace(/^\./, ''), text: message };
}

function invalid(file: string, problems: readonly FleetProblem[]): EchelonError {
  const shown = problems
    .slice(0, MOST_PROBLEMS)
    .map(({ path, text }) => `${file}: ${path === '' ? '' : `${path}: `}${text}`);
  const rest = problems.length - shown.length;
  return new EchelonError({
    code: 'FLEET_INVALID',
    message: [...shown, ...(rest > 0 ? [`and ${count(rest, 'more problem')}`] : [])].join('\n'),
    hint: 'fix the fleet file; examples/fleet/README.md describes the format',
  });
}
