import type { RefusalRecord } from './refusal-record.ts';

/** What programs get of a refusal; what is not known, or not so, is left out. */
export function declareRefusal(record: RefusalRecord): object {
  const { atMs, requestId, endpointId, method, path, code, detail, isObserved, ...others } = record;
  const { consumerId: consumer, credentialId: credential, sourceAddress, stringToSign, leftOut } = others;
  return {
    at: new Date(atMs).toISOString(),
    ...(requestId === null ? {} : { requestId }),
    ...(consumer === null ? {} : { consumer }),
    ...(credential === null ? {} : { credential }),
    ...(endpointId === null ? {} : { endpoint: endpointId }),
    method,
    path,
    code,
    detail,
    ...(isObserved ? { observed: true } : {}),
    ...(sourceAddress === null ? {} : { sourceAddress }),
    ...(stringToSign === null ? {} : { stringToSign }),
    ...(leftOut === 0 ? {} : { leftOutBefore: leftOut }),
  };
}
