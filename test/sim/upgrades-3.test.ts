import { simulateFleets } from '../support/upgrade-simulation-suite.ts';

simulateFleets(3, 4);
