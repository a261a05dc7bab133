export { endOf, killGroup } from './child.ts';
