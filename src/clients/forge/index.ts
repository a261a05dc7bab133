export { type ForgeOptions, resolveRefByForge } from './resolve-ref.ts';
