import type { Json } from '../../base/index.ts';

/** An object as the API returns it. */
export interface ApiObject extends Json {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly [key: string]: unknown };
}
