// Counts what `src/` is made of and which parts need which. Names imports against the order of the wings, and circles.
//
// Exit code: 1 when there is any.
import { fileURLToPath } from 'node:url';
import { judgeRooms } from './rooms/judge-rooms.mjs';
import { listSources, readImports } from './rooms/read-imports.mjs';

const src = fileURLToPath(new URL('../src/', import.meta.url));
const files = listSources(src);
const { counts, faults } = judgeRooms(files, readImports(src, files));

console.log(
  `src: ${counts.wings} wings with ${counts.rooms} rooms; ${counts.arrowsBetweenWings} arrows between wings, ` +
    `${counts.arrowsBack} of them back; ${counts.arrowsBetweenRooms} arrows between rooms`,
);
for (const fault of faults) console.error(fault);
if (faults.length > 0) process.exitCode = 1;
