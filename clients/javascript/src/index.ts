/** Calls APIs behind Postern. See README.md. */
export { createClient, type PosternClient } from './client.ts';
export { encodeParameters } from './encode-parameters.ts';
export type { FetchInit, FetchInput } from './outgoing.ts';
export { PosternProblem, PosternTokenError, type ProblemCode } from './problem.ts';
export { readRefusal, type Refusal } from './refusal.ts';
export type { AssertionAlgorithm, MessageAlgorithm } from './key-algorithms.ts';
export type { PrivateKeySetting, SignBytes } from './key-signer.ts';
export type {
  AssertionSettings,
  BaseFetch,
  BaseInit,
  ClientSettings,
  CommonSettings,
  HmacAlgorithm,
  HmacSettings,
  KeyCarrier,
  KeySettings,
  MessageSettings,
  OAuth2Settings,
  ParameterEncoding,
  ParameterSettings,
} from './settings.ts';
export type { SignedRequest, UnsignedRequest } from './signed-request.ts';
