export { oncePer } from '../base/index.ts';
