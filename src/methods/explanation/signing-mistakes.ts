import { checkTime } from '../../signing/signed-time.ts';
import type { ExplainInput, Hypothesis, Mistake } from './explainer.ts';

/** The part of a recipe that holds the App Secret. */
export interface WithSecret {
  readonly secret: Buffer;
}

/** What goes wrong with the App Secret itself, whatever is signed with it. */
export function secretMistakes<R extends WithSecret>(appKey: string | null): readonly Hypothesis<R>[] {
  const by =
    (change: (secret: string) => readonly (string | Buffer)[]) =>
    (recipe: R): readonly R[] => {
      const text = recipe.secret.toString('utf8');
      return change(text)
        .map((changed) => (typeof changed === 'string' ? Buffer.from(changed, 'utf8') : changed))
        .filter((changed) => !changed.equals(recipe.secret))
        .map((secret) => ({ ...recipe, secret }));
    };
  return [
    {
      name: 'secret-white-space',
      what: 'the App Secret was used with white space around it, or without its own',
      fix: 'Take off the line feed and blanks that a file, a form or a copy adds; the secret is used exactly as it was issued',
      vary: by((text) => [
        ...['\n', '\r\n', ' ', '\r', '\t', '\0', ' \n', '\n\n'].map((space) => text + space),
        ...[' ', '\n', '\ufeff'].map((space) => space + text),
        text.trim(),
      ]),
    },
    {
      name: 'secret-base64-decoded',
      what: 'the App Secret was base64-decoded before it was used',
      fix: 'Use the characters of the App Secret as they are, as UTF-8 bytes',
      vary: by((text) => (/^[A-Za-z0-9+/_-]+={0,2}$/.test(text) ? [Buffer.from(text, 'base64')] : [])),
    },
    {
      name: 'secret-hex-decoded',
      what: 'the App Secret was hex-decoded before it was used',
      fix: 'Use the characters of the App Secret as they are, as UTF-8 bytes',
      vary: by((text) => (/^(?:[0-9a-f]{2})+$/i.test(text) ? [Buffer.from(text, 'hex')] : [])),
    },
    {
      name: 'secret-encoded',
      what: 'the App Secret was encoded (base64, hex, percent-encoding or a hash) before it was used',
      fix: 'Use the characters of the App Secret as they are, as UTF-8 bytes',
      vary: by((text) => [
        ...(['base64', 'base64url', 'hex'] as const).map((encoding) => Buffer.from(text, 'utf8').toString(encoding)),
        encodeURIComponent(text),
      ]),
    },
    {
      name: 'secret-quoted',
      what: 'the App Secret was used with quotes around it',
      fix: 'Take the quotes off: they belong to the shell or the configuration file, not to the secret',
      vary: by((text) => [`"${text}"`, `'${text}'`, text.replace(/^(["'])(.*)\1$/s, '$2')]),
    },
    {
      name: 'secret-case',
      what: 'the App Secret was changed to lower or upper case',
      fix: 'Use the App Secret exactly as it was issued',
      vary: by((text) => [text.toLowerCase(), text.toUpperCase()]),
    },
    {
      name: 'app-key-as-secret',
      what: 'the App Key was used where the App Secret belongs',
      fix: 'Sign with the App Secret; the App Key only says whose it is',
      vary: by(() => (appKey === null ? [] : [appKey])),
    },
    {
      name: 'secret-empty',
      what: 'the App Secret was empty',
      fix: 'Check where your program takes the App Secret from: there was none',
      vary: by(() => [Buffer.alloc(0)]),
    },
  ];
}

/** The name of that mistake. */
export const OTHER_APP_KEY = 'other-app-key';

/** The mistake of sending another App Key than the one that the secret belongs to; none where either is not known. */
export function otherAppKey(sent: string | null, given: string | null): readonly Mistake[] {
  if (sent === null || given === null || sent === given) return [];
  const how =
    sent.trim() === given.trim()
      ? '; they are the same but for white space'
      : sent.toLowerCase() === given.toLowerCase()
        ? '; they are the same but for upper and lower case'
        : '';
  return [
    {
      name: OTHER_APP_KEY,
      what: `the App Key of the request is not the one given with --app-key${how}`,
      fix: 'Send the App Key that belongs to this App Secret, exactly as it was issued',
    },
  ];
}

const HALF_HOUR_SECONDS = 1800;
const HOUR_SECONDS = 3600;
/** Zones that are not at a whole or half hour. */
const QUARTER_ZONES_SECONDS = [20_700, 31_500, 45_900];
const EASTERNMOST_SECONDS = 14 * HOUR_SECONDS;
const WESTERNMOST_SECONDS = -12 * HOUR_SECONDS;
/** How near to a zone's offset a time must be to be taken for it: clocks differ, and requests take a while. */
const ZONE_TOLERANCE_SECONDS = 120;

/** What is wrong with a signed time, null for none that can be read, and whether it may just be that of an old request. */
export function explainTime(
  field: 'Date' | 'apiTimestamp',
  signedSeconds: number | null,
  clockSkewSeconds: number,
  { nowSeconds, isTimeKnown }: ExplainInput,
): { readonly isOld: boolean; readonly mistakes: readonly Mistake[] } {
  if (signedSeconds === null || checkTime(signedSeconds, nowSeconds, clockSkewSeconds) === null) {
    return { isOld: false, mistakes: [] };
  }
  const mistake = findTimeMistake(field, signedSeconds, nowSeconds, isTimeKnown);
  return { isOld: mistake === null, mistakes: mistake === null ? [] : [mistake] };
}

/** The mistake in a signed time outside the window; null when it may just be an old request. */
function findTimeMistake(
  field: 'Date' | 'apiTimestamp',
  signedSeconds: number,
  nowSeconds: number,
  isTimeKnown: boolean,
): Mistake | null {
  const aheadSeconds = signedSeconds - nowSeconds;
  const zone = findZone(aheadSeconds);
  if (zone !== null) {
    const hours = `${String(Math.abs(zone) / HOUR_SECONDS)} h ${zone > 0 ? 'ahead of' : 'behind'}`;
    return {
      name: 'local-time',
      what: `${field} is local time, ${hours} GMT`,
      fix: `Take the time in GMT (UTC), whatever the zone of your machine${field === 'Date' ? ', as date -u does' : ''}${
        isTimeKnown || zone > 0 ? '' : '; if the request was made then, say when with --at'
      }`,
    };
  }
  if (aheadSeconds < 0 && !isTimeKnown) return null;
  const distance = `${String(Math.abs(aheadSeconds))} s ${aheadSeconds < 0 ? 'behind' : 'ahead of'} the server's clock`;
  return {
    name: 'outside-the-window',
    what: `${field} is ${distance}`,
    fix: 'Set the clock of your machine (NTP), and sign each request just before it is sent, also when it is tried again',
  };
}

function findZone(aheadSeconds: number): number | null {
  const nearest = Math.round(aheadSeconds / HALF_HOUR_SECONDS) * HALF_HOUR_SECONDS;
  const zone = [nearest, ...QUARTER_ZONES_SECONDS].find(
    (offset) => Math.abs(aheadSeconds - offset) <= ZONE_TOLERANCE_SECONDS,
  );
  if (zone === undefined || zone === 0 || zone < WESTERNMOST_SECONDS || zone > EASTERNMOST_SECONDS) return null;
  return zone;
}
