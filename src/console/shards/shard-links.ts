import { EchelonError } from '../../base/index.ts';
import { parseAssignment } from '../../manager/index.ts';

/** A link that every shard page has, such as to its logs. */
export interface ShardLink {
  readonly name: string;
  /** With `$cluster`, `$namespace`, `$integration`, `$shard`, `$name` and `$image`. */
  readonly url: string;
}

/** What a link may name. */
interface LinkedShard {
  readonly cluster: string;
  readonly namespace: string;
  readonly name: string;
  readonly integration?: string;
  readonly shard?: string;
  readonly liveTag?: string;
}

const PLACEHOLDER = /\$(cluster|namespace|integration|shard|name|image)\b/g;

/** `NAME=URL`; throws FLAG_INVALID. */
export function parseShardLink(text: string): ShardLink {
  const [name, url] = parseAssignment(text, '--link', 'NAME=URL');
  if (/^https?:\/\/[^/$]/.test(url) && URL.canParse(url)) return { name, url };
  throw new EchelonError({
    code: 'FLAG_INVALID',
    message: `--link ${name}: ${url === '' ? 'no URL' : `${url} is not a URL`}`,
    hint: "use an http or https URL, such as --link 'Logs=https://logs.example.com/?namespace=$namespace&pod=$name'",
  });
}

/** Values are encoded, so that a name cannot change the rest of the address. */
export function linkTo({ url }: ShardLink, shard: LinkedShard): string {
  const values: Readonly<Record<string, string>> = {
    ...{ cluster: shard.cluster, namespace: shard.namespace, name: shard.name },
    ...{ integration: shard.integration ?? '', shard: shard.shard ?? '', image: shard.liveTag ?? '' },
  };
  return url.replace(PLACEHOLDER, (_, name: string) => encodeURIComponent(values[name] ?? ''));
}
