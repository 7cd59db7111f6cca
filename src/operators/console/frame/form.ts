import { ApiProblem } from '../../api/problem.ts';
import type { Form } from './page.ts';

/** Bytes of a form at most; pages send far less. */
export const MAX_FORM_BYTES = 256 * 1024;

/**
 * Reads the body of a form. Throws `UNSUPPORTED_MEDIA_TYPE` for any other: pages send no files.
 */
export async function readForm(request: Request): Promise<Form> {
  if (!isForm(request)) {
    throw new ApiProblem('UNSUPPORTED_MEDIA_TYPE', 'The body must be a form (application/x-www-form-urlencoded).');
  }
  return formOf(new URLSearchParams(await request.text()));
}

/** Whether a request says that its body is a form. */
export function isForm(request: Request): boolean {
  const type = request.headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase();
  return type === 'application/x-www-form-urlencoded';
}

/** Browsers end lines with CR and LF in every form (HTML, "constructing the entry list"). */
export function formOf(fields: URLSearchParams): Form {
  const clean = (text: string): string => text.replaceAll('\r\n', '\n').trim();
  return {
    text: (name) => clean(fields.get(name) ?? ''),
    all: (name) => fields.getAll(name).map(clean),
    isTicked: (name) => fields.has(name),
  };
}
