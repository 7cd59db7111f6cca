import { announcedAttacks } from './families/announced.ts';
import { checkAttacks } from './families/checks.ts';
import { floodAttacks } from './families/floods.ts';
import { headerAttacks } from './families/headers.ts';
import { issuerAttacks } from './families/issuers.ts';
import { messageAttacks } from './families/messages.ts';
import { operatorAttacks } from './families/operators.ts';
import { silentAttacks } from './families/silent.ts';
import { tokenAttacks } from './families/tokens.ts';
import { watchAttacks } from './families/watches.ts';
import { windowAttacks } from './families/windows.ts';
import type { Attack } from './framework/attack.ts';

/** The attacks by family, in the order of docs/attacks.md. */
export const families = {
  windows: windowAttacks,
  announced: announcedAttacks,
  watches: watchAttacks,
  silent: silentAttacks,
  floods: floodAttacks,
  headers: headerAttacks,
  messages: messageAttacks,
  tokens: tokenAttacks,
  issuers: issuerAttacks,
  checks: checkAttacks,
  operators: operatorAttacks,
} as const satisfies Readonly<Record<string, readonly Attack[]>>;

/** All attacks. */
export const attacks: readonly Attack[] = Object.values(families).flat();
