import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import * as z from 'zod';
import { defined, EchelonError, messageOf } from '../../../base/index.ts';
import { type Instant, isVersion, parseInstant, type WhatIf } from '../../../upgrades/index.ts';
import type { Io } from '../../io.ts';

const value = z.union([z.string(), z.number().transform(String), z.null()]);
const labels = z.record(z.string().min(1), value);
const moment = z.union([z.date().transform((date) => date.toISOString()), z.string()]);

const shape = z.strictObject({
  clusters: z.record(z.string().min(1), labels).default({}),
  organizations: z.record(z.string().min(1), labels).default({}),
  blocks: z.array(z.string().min(1)).default([]),
  releases: z
    .array(
      z.strictObject({
        version: z.string().refine(isVersion, 'it is no complete version such as 4.19.5'),
        at: moment.exactOptional(),
        channels: z.array(z.string().min(1)).exactOptional(),
      }),
    )
    .default([]),
});

const MAX_BYTES = 1024 * 1024;
const DATE_ONLY = /^\d{4}-\d\d-\d\d$/;

/** Reads what would be different; a release without a date is out now. */
export async function readWhatIf(io: Io, name: string, now: Instant): Promise<WhatIf> {
  const parsed = shape.safeParse(await yamlOf(io, name));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw invalid(name, `${issue?.path.join('.') || 'the file'}: ${issue?.message}`);
  }
  const { releases, ...rest } = parsed.data;
  return {
    ...rest,
    releases: releases.map(({ version, at, channels }) => ({
      ...{ version, at: at === undefined ? now : instantIn(at, name) },
      ...defined({ channels }),
    })),
  };
}

function instantIn(text: string, name: string): Instant {
  const instant = parseInstant(DATE_ONLY.test(text) ? `${text}T00:00:00Z` : text);
  if (instant === undefined) throw invalid(name, `${JSON.stringify(text)} is no date such as 2026-03-10T00:00:00Z`);
  return instant;
}

async function yamlOf(io: Io, name: string): Promise<unknown> {
  const path = resolve(io.cwd, name);
  try {
    if (statSync(path).size > MAX_BYTES) throw invalid(name, 'it is larger than 1 MiB');
    const { load } = await import('js-yaml');
    return load(readFileSync(path, 'utf8')) ?? {};
  } catch (thrown) {
    if (thrown instanceof EchelonError) throw thrown;
    throw invalid(name, messageOf(thrown));
  }
}

function invalid(name: string, why: string): EchelonError {
  return new EchelonError({
    code: 'WHAT_IF_INVALID',
    message: `${name} is no what-if: ${why}`,
    hint: 'write clusters and organizations with the labels that change, blocks, and releases',
  });
}
