import * as z from 'zod';
import { defined, EchelonError, messageOf } from '../../base/index.ts';
import { type Instant, parseInstant } from '../../gates/index.ts';
import { isVersion } from '../engine/versions.ts';
import type { Release } from './offers.ts';

/** A larger file is not read. */
export const MAX_WHAT_IF_BYTES = 1024 * 1024;

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
        version: z.string().refine(isVersion, 'not a complete version such as 4.19.5'),
        at: moment.exactOptional(),
        channels: z.array(z.string().min(1)).exactOptional(),
      }),
    )
    .default([]),
});

const DATE_ONLY = /^\d{4}-\d\d-\d\d$/;

/** A file name and its content. */
export interface NamedText {
  readonly name: string;
  readonly content: string;
}

/** A what-if, from YAML; a release without a date is out now. */
export async function parseWhatIf({ name, content }: NamedText, now: Instant): Promise<WhatIf> {
  const parsed = shape.safeParse(await yamlOf(name, content));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw whatIfInvalid(name, `${issue?.path.join('.') || 'the file'}: ${issue?.message}`);
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
  if (instant === undefined)
    throw whatIfInvalid(name, `${JSON.stringify(text)} is not a date such as 2026-03-10T00:00:00Z`);
  return instant;
}

async function yamlOf(name: string, content: string): Promise<unknown> {
  const { load } = await import('js-yaml');
  try {
    return load(content) ?? {};
  } catch (thrown) {
    throw whatIfInvalid(name, messageOf(thrown));
  }
}

export function whatIfInvalid(name: string, why: string): EchelonError {
  return new EchelonError({
    code: 'WHAT_IF_INVALID',
    message: `${name} is not a valid what-if: ${why}`,
    hint: 'use clusters and organizations with changed labels, blocks, and releases',
  });
}

/** Labels without their prefix; null removes one. */
export type LabelChanges = Readonly<Record<string, string | null>>;

/** The changes of a what-if. */
export interface WhatIf {
  /** By name, id or UUID. */
  readonly clusters: Readonly<Record<string, LabelChanges>>;
  /** By id or name. */
  readonly organizations: Readonly<Record<string, LabelChanges>>;
  /** Patterns that every organization would block in addition to its own. */
  readonly blocks: readonly string[];
  readonly releases: readonly Release[];
}
