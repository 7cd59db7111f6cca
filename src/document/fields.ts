import { z } from 'zod';
import { APP_KEY_PATTERN } from '../model/app-key.ts';
import { limitScopes, limitUnits, MAX_LIMIT_REQUESTS } from '../model/limit.ts';

/** Ids of endpoints, consumers and credentials (spec §1). */
export const ID_PATTERN = /^[a-z0-9][a-z0-9-]{0,62}$/;

/** Half of a surrogate pair, which has no UTF-8 form. */
const LONE_SURROGATE = /\p{Cs}/u;

/** Any text that can be written as UTF-8. */
export const textField = z.string().refine((text) => !LONE_SURROGATE.test(text), 'is not valid Unicode text');

export const idField = z
  .string()
  .regex(ID_PATTERN, 'must be 1 to 63 of the characters a-z, 0-9 and "-", and begin with a letter or digit');

export const appKeyField = z
  .string()
  .regex(APP_KEY_PATTERN, 'must be 1 to 128 of the characters A-Z, a-z, 0-9, ".", "_" and "-"');

export const appKeyHashField = z
  .string()
  .regex(/^[0-9a-f]{64}$/, 'must be the SHA-256 of an App Key: 64 of the characters 0-9 and a-f');

/** What goes into a request header as the consumer's name is bounded. */
const MAX_NAME_LENGTH = 256;
export const nameField = textField.refine(
  (text) => text.trim() !== '' && text.length <= MAX_NAME_LENGTH,
  `must hold 1 to ${String(MAX_NAME_LENGTH)} characters that are not all blanks`,
);

export const flagField = z.boolean();

const DATE_TIME = z.iso.datetime({ offset: true });

/** RFC 3339 §5.6 with its zone, as seconds since the epoch; a fraction of a second is dropped. */
export const timeField = z.unknown().transform((raw, context) => {
  const text = DATE_TIME.safeParse(raw);
  if (text.success) return Math.floor(Date.parse(text.data) / 1000);
  const message = 'must be a time with its zone, such as 2027-01-01T00:00:00Z or 2027-01-01T00:00:00+02:00';
  context.addIssue({ code: 'custom', message });
  return z.NEVER;
});

/** A whole number from `least` to `most`, both included. */
export function wholeNumberField(least: number, most: number): z.ZodType<number> {
  return z.custom<number>(
    (value) => Number.isInteger(value) && Number(value) >= least && Number(value) <= most,
    `must be a whole number from ${String(least)} to ${String(most)}`,
  );
}

/** A value that its own reader looks at. */
export const nestedField = z.unknown();

export const limitFields = {
  requests: wholeNumberField(1, MAX_LIMIT_REQUESTS),
  unit: z.enum(limitUnits),
  per: z.enum(limitScopes),
};
