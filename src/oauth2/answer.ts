import type { OAuth2Answer } from './oauth2-request.ts';
import type { OAuth2Refusal } from './oauth2-refusal.ts';

/** Answers of these endpoints hold tokens, or what became of them: nobody may keep them (RFC 6749 §5.1). */
const notStored = { 'cache-control': 'no-store', pragma: 'no-cache' } as const;

/** An answer with a JSON object. */
export function jsonAnswer(
  status: number,
  body: Readonly<Record<string, unknown>>,
  headers: Readonly<Record<string, string>> = {},
): OAuth2Answer {
  return {
    status,
    headers: { 'content-type': 'application/json', ...notStored, ...headers },
    body: JSON.stringify(body),
  };
}

/** An answer that says nothing but that it is done. */
export const emptyAnswer: OAuth2Answer = { status: 200, headers: notStored, body: '' };

/** The answer to a request that is refused (RFC 6749 §5.2). */
export function refusalAnswer({ status, error, description, headers }: OAuth2Refusal): OAuth2Answer {
  return jsonAnswer(status, { error, error_description: description }, headers);
}
