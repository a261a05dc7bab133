import {
  boolYaml11Tag,
  defineScalarTag,
  floatYaml11Tag,
  intYaml11Tag,
  mapTag,
  mergeTag,
  NOT_RESOLVED,
  nullYaml11Tag,
  Schema,
  seqTag,
  strTag,
} from 'js-yaml';

const BOOLEANS = /^(?:yes|Yes|YES|no|No|NO|true|True|TRUE|false|False|FALSE|on|On|ON|off|Off|OFF)$/;

/** `y` and `n` stay text: the YAML 1.1 types include them, the loader of existing instances does not. */
const bool = defineScalarTag(boolYaml11Tag.tagName, {
  ...boolYaml11Tag,
  resolve: (source, isExplicit, tagName) =>
    BOOLEANS.test(source) ? boolYaml11Tag.resolve(source, isExplicit, tagName) : NOT_RESOLVED,
});

/** An integer that a double cannot hold stays text, digit for digit, instead of being rounded silently. */
const int = defineScalarTag(intYaml11Tag.tagName, {
  ...intYaml11Tag,
  resolve: (source, isExplicit, tagName) => {
    if (/^[-+]?0[\d_]*:/.test(source)) return NOT_RESOLVED;
    const value = intYaml11Tag.resolve(source, isExplicit, tagName);
    return Number.isSafeInteger(value) ? value : NOT_RESOLVED;
  },
});

const float = defineScalarTag(floatYaml11Tag.tagName, {
  ...floatYaml11Tag,
  resolve: (source, isExplicit, tagName) =>
    /^(?:[-+]\.[\d_]|\._)/.test(source) ? NOT_RESOLVED : floatYaml11Tag.resolve(source, isExplicit, tagName),
});

/**
 * YAML 1.1 as the existing toolchain reads it (a libyaml "safe" loader), except what JSON cannot represent:
 * dates stay text; binary, set, omap and pairs are rejected.
 */
export const YAML11: Schema = new Schema([nullYaml11Tag, bool, int, float, mergeTag, strTag, seqTag, mapTag]);

/** The key that a plain scalar becomes in a mapping: `yes` and `true` are one key, as are `16` and `0x10`. */
export function keyOf(plain: string): string {
  for (const { resolve, tagName } of TYPED) {
    const value = resolve(plain, false, tagName);
    if (value !== NOT_RESOLVED) return String(value);
  }
  return plain;
}

const TYPED = [nullYaml11Tag, bool, int, float];
