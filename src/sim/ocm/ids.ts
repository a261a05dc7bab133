import { hash } from 'node:crypto';

const BASE36 = '0123456789abcdefghijklmnopqrstuvwxyz';
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const KSUID_LENGTH = 27;
const KSUID_TIME_LENGTH = 6;
const CLUSTER_ID_LENGTH = 32;

/** 32 letters and digits, like cluster ids; the same for the same key. */
export function clusterIdOf(key: string): string {
  return spell(key, BASE36, CLUSTER_ID_LENGTH);
}

/** 27 letters and digits that sort by time in seconds, like ids of accounts and service logs. */
export function ksuidOf(key: string, at: number): string {
  let seconds = Math.max(0, Math.floor(at / 1000));
  let time = '';
  for (let digit = 0; digit < KSUID_TIME_LENGTH; digit += 1) {
    time = BASE62[seconds % BASE62.length] + time;
    seconds = Math.floor(seconds / BASE62.length);
  }
  return time + spell(key, BASE62, KSUID_LENGTH - KSUID_TIME_LENGTH);
}

/** A UUID of the version that the kind of object has: 1 for policies and gates, 4 for clusters. */
export function uuidOf(key: string, version: 1 | 4): string {
  const hex = hash('sha256', key);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${version}${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

function spell(key: string, alphabet: string, length: number): string {
  const bytes = hash('sha256', key, 'buffer');
  let text = '';
  for (let at = 0; at < length; at += 1) text += alphabet[(bytes[at] ?? 0) % alphabet.length];
  return text;
}
