import type { Mistake } from './mistake.ts';

/** The name of that mistake. */
export const OTHER_APP_KEY = 'other-app-key';

/** The mistake of sending another App Key than the one that the secret belongs to. */
export function otherAppKey(sent: string, given: string): Mistake {
  const how =
    sent.trim() === given.trim()
      ? '; they are the same but for white space'
      : sent.toLowerCase() === given.toLowerCase()
        ? '; they are the same but for upper and lower case'
        : '';
  return {
    name: OTHER_APP_KEY,
    what: `the App Key of the request is not the one given with --app-key${how}`,
    fix: 'Send the App Key that belongs to this App Secret, exactly as it was issued',
  };
}
