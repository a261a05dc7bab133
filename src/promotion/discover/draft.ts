import type { Instance } from '../../instance/index.ts';

/** An entry of an initial `promotion.yml`, with an explanatory comment. */
export interface DraftTarget {
  readonly name: string;
  readonly comment: string;
  readonly environment?: string;
  readonly upstream: string;
  readonly file?: string;
  readonly schema?: string;
  readonly selector?: Readonly<Record<string, string>>;
  readonly key?: string;
  readonly path?: string;
  readonly digest?: string;
  readonly form: 'short' | 'full' | 'tag';
  readonly length?: number;
  readonly matches?: { readonly min?: number; readonly max?: number };
}

export interface DraftUpstream {
  readonly name: string;
  /** Absent: its versions are tags of the image. */
  readonly url?: string;
  readonly image?: string;
}

/** The input of discovery. */
export interface Facts {
  readonly instance: Instance;
  readonly read: (file: string) => Uint8Array | undefined;
  readonly hashLength: number;
}

/** `latest` counts too: it will be replaced by a version. */
export function formOf(value: unknown, hashLength: number): Pick<DraftTarget, 'form' | 'length'> | undefined {
  const text = String(value ?? '');
  if (/^[0-9a-f]{40}$/.test(text)) return { form: 'full' };
  if (text === 'latest') return { form: 'short' };
  if (!/^[0-9a-f]{7,39}$/.test(text)) return undefined;
  return text.length === hashLength ? { form: 'short' } : { form: 'short', length: text.length };
}
