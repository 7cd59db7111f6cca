import { HeaderValueOption_HeaderAppendAction } from '../../../src/gen/envoy/config/core/v3/base.ts';
import { CheckResponse } from '../../../src/gen/envoy/service/auth/v3/external_auth.ts';
import { type Fields } from '../http/http-message.ts';

/** What an answer to Check may hold beside the decision. */
export interface AllowParts {
  /** Set on the request that goes upstream. */
  readonly headers?: Fields;
  readonly headersToRemove?: readonly string[];
  /** Set on the answer to the caller. */
  readonly responseHeaders?: Fields;
  /** Dynamic metadata; `{}` for none of it. `postern.body: original` unless given. */
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/** Allows a request with its body as it is. */
export function allow(parts: AllowParts = {}): CheckResponse {
  return CheckResponse.fromPartial({
    status: { code: 0 },
    httpResponse: {
      $case: 'okResponse',
      value: {
        headers: options(parts.headers),
        headersToRemove: [...(parts.headersToRemove ?? [])],
        responseHeadersToAdd: options(parts.responseHeaders),
      },
    },
    dynamicMetadata: { 'postern.body': 'original', ...parts.metadata },
  });
}

/** Allows a request whose body is to be replaced by `text`. */
export function allowReplaced(text: string, parts: AllowParts = {}): CheckResponse {
  return allow({ ...parts, metadata: { 'postern.body': 'pending', 'postern.text': text, ...parts.metadata } });
}

/** Refuses a request. */
export function deny(
  status: number,
  parts: { headers?: Fields; body?: string; metadata?: Readonly<Record<string, unknown>> } = {},
): CheckResponse {
  return CheckResponse.fromPartial({
    status: { code: 7 },
    httpResponse: {
      $case: 'deniedResponse',
      value: { status: { code: status }, headers: options(parts.headers), body: parts.body ?? '' },
    },
    dynamicMetadata: { ...parts.metadata },
  });
}

function options(fields: Fields = []) {
  return fields.map(([key, value]) => ({
    header: { key, value },
    appendAction: HeaderValueOption_HeaderAppendAction.OVERWRITE_IF_EXISTS_OR_ADD,
  }));
}
