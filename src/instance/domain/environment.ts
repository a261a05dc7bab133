import * as z from 'zod';
import type { Steps } from '../../base/index.ts';
import { labels, ref } from './fields.ts';
import { type Collection, follow, type Reading, readEach } from './reading.ts';
import { SCHEMA } from './schemas.ts';

const product = z.object({ name: z.string(), description: z.string().exactOptional() });

interface Product {
  readonly file: string;
  readonly name: string;
}

export const environmentShape = z.object({
  name: z.string(),
  description: z.string().exactOptional(),
  labels,
  product: ref,
  servicePhase: z.string(),
  parameters: z.record(z.string(), z.unknown()).nullish(),
  dependsOn: ref.exactOptional(),
});

/** What a workload needs to know about its environment. */
export interface EnvironmentContext {
  readonly name: string;
  readonly parameters: Readonly<Record<string, unknown>>;
}

export interface Environment extends EnvironmentContext {
  readonly file: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly product: Product;
  readonly servicePhase: string;
  /** Path of the environment that this one depends on. */
  readonly dependsOn?: string;
}

export function readProducts(reading: Reading): Steps<Collection<Product>> {
  return readEach(reading, { what: 'product', schemas: [SCHEMA.product] }, product, ({ name }, { path }) => ({
    file: path,
    name,
  }));
}

export function readEnvironments(reading: Reading, products: Collection<Product>): Steps<Collection<Environment>> {
  return readEach(
    reading,
    { what: 'environment', schemas: [SCHEMA.environment] },
    environmentShape,
    (raw, { path }) => {
      const owner = follow(reading, { path, keys: ['product'] }, raw.product.$ref, products);
      if (owner === undefined) return undefined;
      return {
        file: path,
        name: raw.name,
        labels: raw.labels,
        product: owner,
        servicePhase: raw.servicePhase,
        parameters: raw.parameters ?? {},
        ...(raw.dependsOn ? { dependsOn: raw.dependsOn.$ref } : {}),
      };
    },
  );
}
