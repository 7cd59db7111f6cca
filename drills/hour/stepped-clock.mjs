/**
 * Loaded into a replica before its program (`node --import`): SIGUSR2 sets the clock of that process forward by two
 * seconds, and the next one back again. The program takes the time from `Date.now` alone (`src/base/clock.ts`).
 */
const STEP_MS = 2000;
const machineNow = Date.now;
let steppedMs = 0;
Date.now = () => machineNow() + steppedMs;
process.on('SIGUSR2', () => {
  steppedMs = steppedMs === 0 ? STEP_MS : 0;
});
