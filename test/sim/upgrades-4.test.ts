import { simulateFleets } from '../support/upgrade-simulation-suite.ts';

simulateFleets(4, 4);
