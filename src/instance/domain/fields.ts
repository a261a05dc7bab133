import * as z from 'zod';

import { cronFault, FIVE_FIELDS_PATTERN, IMAGE_REF_PATTERN, isImageRef, shown } from '../../base/index.ts';

const QUANTITY = /^[+-]?(\d+(?:\.\d*)?|\.\d+)(Ki|Mi|Gi|Ti|Pi|Ei|[numkMGTPE]|[eE][+-]?\d+)?$/;

/** Suffixes as exponents, so that 1100m and 1.1 are read from the same decimal and compare as equal. */
const EXPONENTS: Readonly<Record<string, string>> = {
  n: 'e-9',
  u: 'e-6',
  m: 'e-3',
  k: 'e3',
  M: 'e6',
  G: 'e9',
  T: 'e12',
  P: 'e15',
  E: 'e18',
};

const FACTORS: Readonly<Record<string, number>> = {
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
};

const LONGEST_QUANTITY = 64;

/** A quantity that is not negative, as a regular expression. */
const QUANTITY_PATTERN =
  '^(?:\\+?(?:\\d+(?:\\.\\d*)?|\\.\\d+)|-(?:0+(?:\\.0*)?|\\.0+))(?:Ki|Mi|Gi|Ti|Pi|Ei|[numkMGTPE]|[eE][+-]?\\d+)?$';

/** The value of a Kubernetes resource quantity (`500Mi`, `1200m`, `2`, `1e3`); undefined when invalid. */
export function quantityValue(text: string): number | undefined {
  if (text.length > LONGEST_QUANTITY) return undefined;
  const match = QUANTITY.exec(text);
  if (match === null) return undefined;
  const [, digits = '', suffix = ''] = match;
  const sign = text.startsWith('-') ? -1 : 1;
  const factor = FACTORS[suffix];
  const value = factor === undefined ? Number(`${digits}${EXPONENTS[suffix] ?? suffix}`) : Number(digits) * factor;
  return sign * value;
}

/** The rule and hint that a refinement adds to its issue. */
export interface FieldFault {
  readonly rule: string;
  readonly hint: string;
}

function text(check: (value: string) => { message: string; fault: FieldFault } | undefined) {
  return z.string().superRefine((value, context) => {
    const found = check(value);
    if (found !== undefined) {
      context.addIssue({ code: 'custom', message: found.message, params: { ...found.fault } });
    }
  });
}

export const labels = z.record(z.string(), z.string()).default({});

export const vaultSecret = z.object({
  path: z.string(),
  field: z.string(),
  format: z.enum(['plain', 'base64']).exactOptional(),
  version: z.number().int().exactOptional(),
});

/** The location of a secret; never its value. */
export type VaultSecret = z.infer<typeof vaultSecret>;

export const ref = z.object({ $ref: z.string() });

export const disable = z.object({ integrations: z.array(z.string()).exactOptional() }).exactOptional();

/** A quantity; a bare number, as the design documents write it, is read as its text. */
export const quantity = z
  .union([z.string(), z.number()])
  .transform(String)
  .superRefine((value, context) => {
    const size = quantityValue(value);
    if (size !== undefined && size >= 0) return;
    context.addIssue({
      code: 'custom',
      message: `${shown(value)} is not a valid Kubernetes quantity`,
      params: { rule: 'bad-quantity', hint: 'use a number with a unit, such as 500Mi, 2Gi or 250m' },
    });
  })
  .meta({ pattern: QUANTITY_PATTERN, maxLength: LONGEST_QUANTITY, minimum: 0 });

export const cron = text((value) => {
  const fault = cronFault(value);
  if (fault === undefined) return undefined;
  return {
    message: `${shown(value)} is not a valid cron expression: ${fault}`,
    fault: { rule: 'bad-cron', hint: 'use minute hour day month weekday in UTC, such as 0 8 * * 1-5' },
  };
}).meta({ pattern: FIVE_FIELDS_PATTERN });

/** The tag of an image, optionally with its digest. */
export const imageRef = text((value) =>
  isImageRef(value)
    ? undefined
    : {
        message: `${shown(value)} is not a valid image tag`,
        fault: { rule: 'bad-image-ref', hint: 'use a tag such as f929a38, without the repository' },
      },
).meta({ pattern: IMAGE_REF_PATTERN });

const amounts = z.object({ cpu: quantity.exactOptional(), memory: quantity.exactOptional() });

/** CPU and memory of a container. */
export const resources = z
  .object({ requests: amounts.exactOptional(), limits: amounts.exactOptional() })
  .superRefine(({ requests, limits }, context) => {
    for (const name of ['cpu', 'memory'] as const) {
      const [asked, allowed] = [quantityValue(requests?.[name] ?? ''), quantityValue(limits?.[name] ?? '')];
      if (asked === undefined || allowed === undefined || asked <= allowed) continue;
      context.addIssue({
        code: 'custom',
        path: ['requests', name],
        message: `the ${name} request ${requests?.[name]} is above the limit ${limits?.[name]}`,
        params: { rule: 'request-above-limit', hint: 'raise the limit: Kubernetes rejects such a pod' },
      });
    }
  });

export type Resources = z.infer<typeof resources>;

export const upgradePolicy = z.object({
  schedule: cron,
  workloads: z.array(z.string()),
  versionGateApprovals: z.array(z.string()).exactOptional(),
  conditions: z.object({
    soakDays: z.number().int(),
    mutexes: z.array(z.string()).exactOptional(),
    sector: z.string().exactOptional(),
    blockedVersions: z.array(z.string()).exactOptional(),
  }),
});

/** The schedule and the conditions by which a cluster takes a new version. */
export type UpgradePolicy = z.infer<typeof upgradePolicy>;
