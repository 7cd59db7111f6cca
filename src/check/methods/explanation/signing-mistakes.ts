import { checkTime } from '../../signing/signed-time.ts';
import type { ExplainInput, Hypothesis, Mistake } from './explainer.ts';

/** The part of a recipe that holds the App Secret. */
export interface WithSecret {
  readonly secret: Buffer;
}

const AS_IT_IS = 'Use the characters of the App Secret as they are, as UTF-8 bytes';

/** What goes wrong with the App Secret itself, whatever is signed with it. */
export function secretMistakes(appKey: string | null): readonly Hypothesis<WithSecret>[] {
  const mistake = (
    name: string,
    what: string,
    fix: string,
    change: (secret: string) => readonly (string | Buffer)[],
  ): Hypothesis<WithSecret> => ({
    name,
    what: `the App Secret was ${what}`,
    fix,
    vary: (recipe) => change(recipe.secret.toString('utf8')).map((changed) => ({ secret: Buffer.from(changed) })),
  });
  return [
    mistake(
      'secret-white-space',
      'used with white space around it, or without its own',
      'Remove the line feed and blanks that a file, a form or a copy adds; the secret is used exactly as it was issued',
      (text) => [
        ...['\n', '\r\n', ' ', '\r', '\t', '\0', ' \n', '\n\n'].map((space) => text + space),
        ...[' ', '\n', '\ufeff'].map((space) => space + text),
        text.trim(),
      ],
    ),
    mistake('secret-base64-decoded', 'base64-decoded before it was used', AS_IT_IS, (text) =>
      /^[A-Za-z0-9+/_-]+={0,2}$/.test(text) ? [Buffer.from(text, 'base64')] : [],
    ),
    mistake('secret-hex-decoded', 'hex-decoded before it was used', AS_IT_IS, (text) =>
      /^(?:[0-9a-f]{2})+$/i.test(text) ? [Buffer.from(text, 'hex')] : [],
    ),
    mistake('secret-encoded', 'encoded (base64, hex or percent-encoding) before it was used', AS_IT_IS, (text) => [
      ...(['base64', 'base64url', 'hex'] as const).map((encoding) => Buffer.from(text).toString(encoding)),
      encodeURIComponent(text),
    ]),
    mistake(
      'secret-quoted',
      'used with quotes around it',
      'Remove the quotes: they belong to the shell or the configuration file, not to the secret',
      (text) => [`"${text}"`, `'${text}'`, text.replace(/^(["'])(.*)\1$/s, '$2')],
    ),
    mistake(
      'app-key-as-secret',
      'not used: the App Key was in its place',
      'Sign with the App Secret; the App Key only says whose it is',
      () => (appKey === null ? [] : [appKey]),
    ),
    mistake('secret-empty', 'empty', 'Check where your program takes the App Secret from: there was none', () => ['']),
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

/**
 * What is wrong with a signed time, null for none that can be read, and whether it may just be that of an old request.
 */
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
