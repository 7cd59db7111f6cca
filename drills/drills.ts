import type { Drill } from './framework/drill.ts';
import { applyKilled } from './scenes/apply-killed.ts';
import { badChange } from './scenes/bad-change.ts';
import { keyCompromised } from './scenes/key-compromised.ts';
import { keyRingLost } from './scenes/key-ring-lost.ts';
import { keyRingRotation } from './scenes/key-ring-rotation.ts';
import { mongodbLost } from './scenes/mongodb-lost.ts';
import { overload } from './scenes/overload.ts';
import { rateLimitServiceLost } from './scenes/rate-limit-service-lost.ts';
import { replicaLost } from './scenes/replica-lost.ts';
import { restore } from './scenes/restore.ts';
import { rollingRestart } from './scenes/rolling-restart.ts';
import { schemaUpgrade } from './scenes/schema-upgrade.ts';

/** All drills, in the order of docs/drills.md. */
export const drills: readonly Drill[] = [
  rollingRestart,
  replicaLost,
  overload,
  mongodbLost,
  rateLimitServiceLost,
  badChange,
  applyKilled,
  restore,
  keyRingRotation,
  keyRingLost,
  keyCompromised,
  schemaUpgrade,
];
