import assert from 'node:assert/strict';
import { DEMO_SECRET, problemsOf } from './support.ts';

/** A faulty document and every problem that it has, as `line:column: message`. */
interface Case {
  readonly text: string;
  readonly problems: readonly string[];
}

function endpoint(body: string): string {
  return `version: 1\nendpoints:\n  - id: e\n${indent(body, 4)}`;
}

function partner(body: string, method = 'key'): string {
  return endpoint(`scenario: partner-openapi\nauthentication: ${method}\nmatch: { paths: [{ prefix: /e }] }\n${body}`);
}

function match(body: string): string {
  return endpoint(`scenario: open\nmatch:\n${indent(body, 2)}`);
}

function credential(body: string): string {
  return `version: 1\nconsumers:\n  - id: acme\n    credentials:\n      - id: c\n${indent(body, 8)}`;
}

function indent(body: string, blanks: number): string {
  return body.replaceAll(/^(?=.)/gm, ' '.repeat(blanks));
}

const LONG_ID = 'a'.repeat(64);
const HOST =
  'must be a host such as api.example.com or *.example.com: letters, digits, "-", "." and "_", without scheme, port or path';
const PATH = 'the path is not in normal form and would match no request:';
const CHARACTERS = 'must be 1 to 63 of the characters a-z, 0-9 and "-", and begin with a letter or digit';
const TIME = 'must be a time with its zone, such as 2027-01-01T00:00:00Z or 2027-01-01T00:00:00+02:00';

const cases: Readonly<Record<string, Case>> = {
  'an empty file': { text: '', problems: ['1:1: the file is empty; a declarative document begins with "version: 1"'] },
  'a file of comments': {
    text: '# nothing\n',
    problems: ['1:1: the file is empty; a declarative document begins with "version: 1"'],
  },
  'a text instead of a document': {
    text: 'postern',
    problems: ['1:1: the document must be a mapping (key: value); it is a text'],
  },
  'a list instead of a document': {
    text: '- a',
    problems: ['1:1: the document must be a mapping (key: value); it is a list'],
  },
  'no version': { text: 'endpoints: []', problems: ['1:1: "version" is missing; a declarative document needs it'] },
  'another version': { text: 'version: 2', problems: ['1:10: "version" must be 1'] },
  'a version in quotes': { text: 'version: "1"', problems: ['1:10: "version" must be 1'] },
  'an unknown key': {
    text: 'version: 1\nendpionts: []',
    problems: ['2:1: unknown key "endpionts" in a declarative document; did you mean "endpoints"?'],
  },
  'an unknown key that resembles none': {
    text: 'version: 1\nplugins: []',
    problems: [
      '2:1: unknown key in a declarative document; known keys: version, selector, endpoints, consumers, grants, plans, issuers',
    ],
  },
  'a list without a value': {
    text: 'version: 1\ngrants:\n',
    problems: ['2:8: "grants" must be a list; it has no value; write one, or remove the key'],
  },
  'a mapping instead of a list': {
    text: 'version: 1\nconsumers: { id: a }',
    problems: ['2:12: "consumers" must be a list; it is a mapping'],
  },
  'an item that is no mapping': {
    text: 'version: 1\nendpoints: [orders]\nconsumers:\n  -\n',
    problems: [
      '2:13: item 1 of "endpoints" must be a mapping (key: value); it is a text',
      '4:4: item 1 of "consumers" must be a mapping (key: value); it has no value',
    ],
  },
  'the same key twice': {
    text: 'version: 1\nconsumers:\n  - id: a\n    name: A\n    name: B\n',
    problems: ['5:5: this key appears twice in its mapping, first on line 4; keep one'],
  },
  'a key that is no text': {
    text: 'version: 1\nconsumers: [{ id: a, labels: { 2024: x, null: y, [a]: z, __proto__: p } }]',
    problems: [
      '2:32: this cannot be a key: a key is a text; quote it',
      '2:41: this cannot be a key: a key is a text; quote it',
      '2:50: this cannot be a key: a key is a text (quote a value that begins with "{", "[", "*" or "?")',
      '2:58: this cannot be a key: a key is a text; quote it',
    ],
  },
  'labels of an endpoint that are no texts': {
    text: 'version: 1\nendpoints: [{ id: a, scenario: open, match: { paths: [{ prefix: / }] }, labels: { team: 7 } }]',
    problems: ['2:89: a value in "labels" must be a text, but YAML reads this as a number: quote it'],
  },
  'numbers and booleans where a text is needed': {
    text: `version: 1\nconsumers:\n  - id: 007\n    name: true\n    labels: { tier: 1 }\n    credentials: [{ id: 12, method: hmac, appKey: 1e3, appSecret: 1234567890123456789 }]\n`,
    problems: [
      '3:9: "id" must be a text, but YAML reads this as a number: quote it',
      '4:11: "name" must be a text, but YAML reads this as the boolean true: quote it',
      '5:21: a value in "labels" must be a text, but YAML reads this as a number: quote it',
      '6:25: "id" must be a text, but YAML reads this as a number: quote it',
      '6:51: "appKey" must be a text, but YAML reads this as a number: quote it',
      '6:67: "appSecret" must be a text, but YAML reads this as a number: quote it',
    ],
  },
  'ids that are none': {
    text: `version: 1\nconsumers: [{ id: Acme }, { id: -a }, { id: "" }, { id: ${LONG_ID} }, {}]`,
    problems: [
      `2:19: "id" ${CHARACTERS}`,
      `2:33: "id" ${CHARACTERS}`,
      `2:45: "id" ${CHARACTERS}`,
      `2:57: "id" ${CHARACTERS}`,
      '2:125: "id" is missing; a consumer needs it',
    ],
  },
  'a name of blanks': {
    text: 'version: 1\nconsumers: [{ id: a, name: "  " }, { id: b, name: "\\uD800" }]',
    problems: [
      '2:28: "name" must hold 1 to 256 characters that are not all blanks',
      '2:51: "name" is not valid Unicode text',
    ],
  },
  'an endpoint without anything': {
    text: 'version: 1\nendpoints:\n  - {}',
    problems: [
      '3:5: "id" is missing; an endpoint needs it',
      '3:5: "scenario" is missing; an endpoint needs it',
      '3:5: "match" is missing; an endpoint needs it',
    ],
  },
  'a partner endpoint without authentication': {
    text: endpoint('scenario: partner-openapi\nmatch: { paths: [{ prefix: / }] }'),
    problems: [
      '3:5: "authentication" is missing; an endpoint needs it (key, hmac, parameter-signature, http-message-signature, oauth2, jwt, certificate), or "scenario: open"',
    ],
  },
  'misspelt values': {
    text: partner('accessCondition: authorized\nenabled: "yes"\ndescription: 1', 'hamc'),
    problems: [
      '5:21: "authentication" must be "key", "hmac", "parameter-signature", "http-message-signature", "oauth2", "jwt" or "certificate"; did you mean "hmac"?',
      '7:22: "accessCondition" must be "authenticated" or "authenticated-and-authorized"',
      '8:14: "enabled" must be true or false; it is a text',
      '9:18: "description" must be a text, but YAML reads this as a number: quote it',
    ],
  },
  'what an open endpoint cannot have': {
    text: endpoint(
      'scenario: open\nmatch: { paths: [{ prefix: / }] }\nauthentication: key\naccessCondition: authenticated\noptions: { mode: observe, hideCredentials: true, clockSkewSeconds: 1 }\ntrafficControl: { limits: [{ requests: 1, unit: day, per: consumer }] }',
    ),
    problems: [
      '6:5: an open endpoint has no "authentication"; remove it, or set "scenario: partner-openapi"',
      '7:5: an open endpoint has no "accessCondition"; remove it, or set "scenario: partner-openapi"',
      '8:31: an open endpoint takes only the options "mode" and "onLimiterFailure"; "hideCredentials" is for endpoints with authentication',
      '8:54: an open endpoint takes only the options "mode" and "onLimiterFailure"; "clockSkewSeconds" is for endpoints with authentication',
      '9:63: "per" must be "endpoint" here: callers of an open endpoint are not distinguished',
    ],
  },
  'options of other methods': {
    text: partner(
      'options:\n  keyNames: [{ query: k }]\n  algorithms: [hmac-sha256]\n  requireTimestamp: true\n  tokenInQuery: false\n  replayProtection: true',
      'oauth2',
    ),
    problems: [
      '8:7: "keyNames" is an option for key; this endpoint\'s authentication is oauth2',
      '9:7: "algorithms" is an option for hmac and http-message-signature; this endpoint\'s authentication is oauth2',
      '10:7: "requireTimestamp" is an option for parameter-signature; this endpoint\'s authentication is oauth2',
      '12:7: "replayProtection" is an option for hmac, parameter-signature, http-message-signature and jwt; this endpoint\'s authentication is oauth2',
    ],
  },
  'faulty values of options': {
    text: partner(
      'options: { clockSkewSeconds: 3601, algorithms: [hmac-sha1, hmac-sha256, hmac-sha256], hideCredential: true, mode: watch }',
      'hmac',
    ),
    problems: [
      '7:34: "clockSkewSeconds" must be a whole number from 1 to 3600',
      '7:53: item 1 of "algorithms" must be "hmac-sha256", "hmac-sha384" or "hmac-sha512"',
      '7:77: "hmac-sha256" appears twice in this list',
      '7:91: unknown key "hideCredential" in "options"; did you mean "hideCredentials"?',
      '7:119: "mode" must be "enforce" or "observe"',
    ],
  },
  'numbers that are not whole': {
    text: partner(
      'options: { clockSkewSeconds: 1.5 }\ntrafficControl: { limits: [{ requests: 0, unit: day, per: consumer }, { requests: 4294967296, unit: hour, per: consumer }, { requests: .inf, unit: second, per: consumer }] }',
      'hmac',
    ),
    problems: [
      '7:34: "clockSkewSeconds" must be a whole number from 1 to 3600',
      '8:44: "requests" must be a whole number from 1 to 4294967295',
      '8:87: "requests" must be a whole number from 1 to 4294967295',
      '8:140: "requests" must be a whole number from 1 to 4294967295',
    ],
  },
  'replay protection without a signed time': {
    text: partner('options: { replayProtection: true }', 'parameter-signature'),
    problems: [
      '7:16: "replayProtection" needs "requireTimestamp: true" on a parameter-signature endpoint: without a signed time a request could be repeated later',
    ],
  },
  'key names that can carry no key': {
    text: partner(
      'options:\n  keyNames:\n    - { header: ":path" }\n    - { header: "X App" }\n    - { header: Connection }\n    - { header: x_consumer_id }\n    - { query: "" }\n    - { query: a, header: b }\n    - {}\n    - { query: a }\n    - { query: a }\n    - { header: X-Key }\n    - { header: x-key }',
    ),
    problems: [
      '9:21: ":path" is a pseudo header, which cannot carry an App Key',
      '10:21: "X App" is not a header name (RFC 9110 §5.6.2)',
      '11:21: "Connection" is used by the connection or the body, and cannot carry an App Key',
      '12:21: "x_consumer_id" is written by the gateway itself, and cannot carry an App Key',
      '13:20: "query" must be the name of a query parameter, without control characters',
      '14:11: item 6 of "keyNames" must have exactly one of "query" and "header"',
      '15:11: item 7 of "keyNames" must have exactly one of "query" and "header"',
      '17:11: item 9 of "keyNames" appears in this list already',
      '19:11: item 11 of "keyNames" appears in this list already',
    ],
  },
  'scheme words of key names': {
    text: partner(
      'options:\n  keyNames:\n    - { header: X-Key, scheme: "Bearer " }\n    - { query: k, scheme: Bearer }\n    - { scheme: Bearer }\n    - { header: X-Key, scheme: Bearer }\n    - { header: x-key, scheme: bearer }\n    - { header: X-Key }\n    - { header: X-Key, scheme: Token }',
    ),
    problems: [
      '9:36: "Bearer " is not a scheme word (a token, RFC 9110 §11.1)',
      '10:31: "scheme" is the word before an App Key in a header; a query parameter has none',
      '11:11: item 3 of "keyNames" must have exactly one of "query" and "header"',
      '13:11: item 5 of "keyNames" appears in this list already',
      '15:11: item 7 of "keyNames" is never looked at: the same header without "scheme" is before it; put it first',
    ],
  },
  'an empty list of key names': {
    text: partner('options: { keyNames: [] }'),
    problems: ['7:26: "keyNames" is empty; name a carrier, or remove the key for the default'],
  },
  'hosts that are none': {
    text: match(
      'paths: [{ prefix: / }]\nhosts:\n  - https://example.com\n  - example.com:443\n  - "*"\n  - "a.*.com"\n  - "*."\n  - ""\n  - Example.com\n  - example.COM.\n  - 7',
    ),
    problems: [
      `8:11: item 1 of "hosts" ${HOST}`,
      `9:11: item 2 of "hosts" ${HOST}`,
      `10:11: item 3 of "hosts" ${HOST}`,
      `11:11: item 4 of "hosts" ${HOST}`,
      `12:11: item 5 of "hosts" ${HOST}`,
      `13:11: item 6 of "hosts" ${HOST}`,
      '15:11: the host "example.com" appears twice in this list',
      `16:11: item 9 of "hosts" ${HOST}`,
    ],
  },
  'paths that match nothing': {
    text: match(
      'paths:\n  - { prefix: orders }\n  - { prefix: /a//b }\n  - { exact: /a/../b }\n  - { exact: "/a?b" }\n  - { exact: /%zz }\n  - { prefix: /a;b }\n  - { prefix: "" }',
    ),
    problems: [
      `7:21: ${PATH} it does not begin with "/"`,
      `8:21: ${PATH} the path holds an empty segment`,
      `9:20: ${PATH} the path holds a "." or ".." segment`,
      `10:20: ${PATH} a path rule cannot hold a "?"`,
      `11:20: ${PATH} the path holds a "%" that is not followed by two hexadecimal digits`,
      `12:21: ${PATH} a path rule cannot hold a ";"`,
      `13:21: ${PATH} it does not begin with "/"`,
    ],
  },
  'path rules of another shape': {
    text: match('paths: [/orders, { prefix: /a, exact: /b }, {}, { prefx: /c }, { prefix: /d }, { prefix: /d/ }]'),
    problems: [
      '6:15: item 1 of "paths" must be { prefix: … } or { exact: … }',
      '6:24: item 2 of "paths" must have exactly one of "prefix" and "exact"; for any path write [{ prefix: / }]',
      '6:51: item 3 of "paths" must have exactly one of "prefix" and "exact"; for any path write [{ prefix: / }]',
      '6:57: unknown key "prefx" in a path rule; did you mean "prefix"?',
      '6:86: the same prefix appears twice in this list',
    ],
  },
  'empty lists of a match': {
    text: match('hosts: []\npaths: []\nmethods: []'),
    problems: [
      '6:14: "hosts" is empty; remove the key for any host',
      '7:14: "paths" is empty; for any path write [{ prefix: / }]',
      '8:16: "methods" is empty; remove the key for any method',
    ],
  },
  'a match without paths': {
    text: match('methods: [GET, "G T", GET]'),
    problems: [
      '6:7: "paths" is missing; "match" needs it',
      '6:22: item 2 of "methods" must be an HTTP method such as GET; methods compare exactly, so "get" is another one',
      '6:29: the method "GET" appears twice in this list',
    ],
  },
  'limits that are said twice or not at all': {
    text: partner(
      'trafficControl:\n  limits:\n    - { requests: 1, unit: day, per: consumer }\n    - { requests: 2, unit: day, per: consumer }\n    - { requests: 2, unit: day, per: endpoint }\n    - { requests: 2 }\n    - { requests: 2, unit: days, per: key }',
    ),
    problems: [
      '10:11: a limit per consumer and day is on line 9 already; keep one',
      '12:11: "unit" is missing; a limit needs it',
      '12:11: "per" is missing; a limit needs it',
      '13:32: "unit" must be "second", "minute", "hour", "day" or "month"; did you mean "day"?',
      '13:43: "per" must be "consumer" or "endpoint"',
    ],
  },
  'endpoints that take the same requests': {
    text: `version: 1
endpoints:
  - { id: a, scenario: open, match: { hosts: [A.example.com], paths: [{ prefix: /x/ }] } }
  - { id: b, scenario: open, enabled: false, match: { hosts: [a.example.com.], paths: [{ exact: /x }, { prefix: /%78 }] } }
  - { id: c, scenario: open, match: { paths: [{ exact: /x }] } }
  - { id: a, scenario: open, match: { paths: [{ prefix: /y }] } }
`,
    problems: [
      '4:53: this takes the same requests as the endpoint "a" on line 3 (host "a.example.com", prefix "/x", method any); change one of them',
      '6:11: the id "a" is taken by the endpoint on line 3',
    ],
  },
  'no or two methods of a credential': {
    text: `version: 1
consumers:
  - id: acme
    credentials:
      - { appKey: a, appSecret: ${DEMO_SECRET} }
      - { method: hmac, methods: [hmac], appKey: b, appSecret: ${DEMO_SECRET} }
      - { methods: [], appKey: c, appSecret: ${DEMO_SECRET} }
      - { methods: [hmac, hmca, hmac], appKey: d, appSecret: ${DEMO_SECRET} }
      - { methods: hmac, appKey: e, appSecret: ${DEMO_SECRET} }
`,
    problems: [
      '5:9: "method" is missing; a credential needs it (key, hmac, parameter-signature, http-message-signature, oauth2, jwt, certificate)',
      '6:25: "method" and "methods" exclude each other; keep one',
      '7:20: "methods" is empty; a credential needs a method',
      '8:27: item 2 of "methods" must be "key", "hmac", "parameter-signature", "http-message-signature", "oauth2", "jwt" or "certificate"',
      '8:33: "hmac" appears twice in this list',
      '9:20: "methods" must be a list; it is a text',
    ],
  },
  'secrets of a key': {
    text: credential(`method: key\nappKey: a\nappSecret: ${DEMO_SECRET}\nretiringSecret: {}`),
    problems: [
      '8:9: "appSecret" is not for a credential of method key, whose App Key is the secret; remove it',
      '9:9: "retiringSecret" is not for a credential of method key, whose App Key is the secret; remove it',
    ],
  },
  'two secrets': {
    text: credential(`method: hmac\nappKey: a\nappSecret: ${DEMO_SECRET}\nappSecretFrom: { env: A }`),
    problems: ['9:9: "appSecret" and "appSecretFrom" exclude each other; keep one'],
  },
  'App Secrets that are none': {
    text: `version: 1
consumers:
  - id: acme
    credentials:
      - { method: hmac, appKey: a, appSecret: fifteen-letters }
      - { method: hmac, appKey: b, appSecret: ${'x'.repeat(257)} }
      - { method: hmac, appKey: c, appSecret: "tab\\tand sixteen letters" }
      - { method: hmac, appKey: d, appSecret: "" }
      - { method: hmac, appKey: e, appSecret: "\\uD800 and sixteen letters" }
      - { method: hmac, appKey: f, appSecret: ${'ü'.repeat(256)} }
`,
    problems: [
      '5:47: "appSecret" is too short: an App Secret has 16 to 256 characters',
      '6:47: "appSecret" is too long: an App Secret has 16 to 256 characters',
      '7:47: "appSecret" holds a control character, such as a tab or a line feed',
      '8:47: "appSecret" is empty',
      '9:47: "appSecret" is not valid Unicode text',
    ],
  },
  'App Keys that are none or taken': {
    text: `version: 1
consumers:
  - id: acme
    credentials:
      - { method: key, appKey: "a b" }
      - { method: key, appKey: "" }
      - { method: key, appKey: same }
  - id: other
    credentials:
      - { id: x, method: hmac, appKey: same, appSecret: ${DEMO_SECRET} }
      - { id: x, method: key, appKey: ${'k'.repeat(513)} }
`,
    problems: [
      '5:32: "appKey" must be 1 to 512 of the characters A-Z, a-z, 0-9, ".", "_" and "-"',
      '6:32: "appKey" must be 1 to 512 of the characters A-Z, a-z, 0-9, ".", "_" and "-"',
      '10:40: the credential on line 7 has this App Key already; an App Key belongs to one credential',
      '11:15: the id "x" is taken by the credential on line 10',
      '11:39: "appKey" must be 1 to 512 of the characters A-Z, a-z, 0-9, ".", "_" and "-"',
    ],
  },
  'times that are none': {
    text: credential(`method: key\nappKey: a\nstate: retiring\nnotBefore: 2026-02-30T00:00:00Z\nexpiresAt: 1767225600`),
    problems: [`9:20: "notBefore" ${TIME}`, `10:20: "expiresAt" ${TIME}`],
  },
  'times without a zone': {
    text: credential(`method: key\nappKey: a\nnotBefore: 2026-01-01T00:00:00\nexpiresAt: 2026-01-01`),
    problems: [`8:20: "notBefore" ${TIME}`, `9:20: "expiresAt" ${TIME}`],
  },
  'states without their time': {
    text: `version: 1
consumers:
  - id: acme
    credentials:
      - { method: key, appKey: a, state: retiring }
      - { method: key, appKey: b, state: retired }
      - { method: hmac, appKey: c, appSecret: ${DEMO_SECRET}, retiringSecret: { appSecret: ${DEMO_SECRET} } }
      - { method: key, appKey: d, notBefore: 2026-01-01T00:00:00Z, expiresAt: 2026-01-01T01:00:00+01:00 }
`,
    problems: [
      '5:42: "expiresAt" is missing; "state: retiring" needs the time until which the credential works',
      '6:42: "state" must be "active", "retiring" or "revoked"',
      '7:95: "expiresAt" is missing; "retiringSecret" needs it',
      '8:79: "expiresAt" must be later than "notBefore"',
    ],
  },
  'grants for groups that are unclear': {
    text: `version: 1
endpoints:
  - { id: a, scenario: open, match: { paths: [{ prefix: /a }] } }
consumers: [{ id: acme }]
grants:
  - { endpoint: a, consumerSelector: { tier: gold }, priority: 10 }
  - { endpoint: a, consumerSelector: { tier: gold }, priority: 11 }
  - { endpoint: a, consumerSelector: { tier: silver }, priority: 10 }
  - { endpoint: a, consumerSelector: { region: eu } }
  - { endpoint: a, consumerSelector: { region: us } }
  - { endpoint: a, consumerSelector: {}, priority: 3 }
  - { endpoint: a, consumerSelector: { tier: 1 }, priority: 1.5 }
  - { endpoint: a, consumer: acme, consumerSelector: { tier: gold } }
  - { endpoint: a, consumer: acme, priority: 1 }
  - { endpoint: a, priority: 1 }
  - { endpoint: none, consumerSelector: { tier: gold } }
`,
    problems: [
      '7:5: the grant on line 6 has the same endpoint and consumerSelector; keep one',
      '8:66: the grant on line 6 has the same endpoint and priority; of the grants that fit a consumer the highest priority counts: give each another one',
      '10:5: the grant on line 9 has the same endpoint and priority; of the grants that fit a consumer the highest priority counts: give each another one',
      '11:38: "consumerSelector" must name at least one label: without any it would be a grant for every consumer, those that come later too',
      '12:46: a value in "consumerSelector" must be a text, but YAML reads this as a number: quote it',
      '12:61: "priority" must be a whole number from -1000000 to 1000000',
      '13:54: a grant is for one consumer or for a group: remove "consumer" or "consumerSelector"',
      '14:46: "priority" is for groups ("consumerSelector"): the own grant of a consumer counts before them',
      '15:5: "consumer" is missing; a grant needs it, or a "consumerSelector"',
      '16:17: there is no endpoint "none"',
    ],
  },
  'grants that lead nowhere': {
    text: `version: 1
endpoints: [{ id: orders, scenario: open, match: { paths: [{ prefix: / }] } }]
consumers: [{ id: acme }, { id: Bad }]
grants:
  - { endpoint: order, consumer: acme }
  - { endpoint: orders, consumer: nobody }
  - { endpoint: orders, consumer: acme }
  - { endpoint: orders, consumer: acme }
  - { endpoint: orders, consumer: 5, limits: [{ requests: 1, unit: day, per: endpoint }] }
`,
    problems: [
      `3:33: "id" ${CHARACTERS}`,
      '5:17: there is no endpoint "order"; did you mean "orders"?',
      '6:35: there is no consumer "nobody"',
      '8:5: the grant on line 7 has the same endpoint and consumer; keep one',
      '9:35: "consumer" must be a text, but YAML reads this as a number: quote it',
      '9:78: "per" must be "consumer" here: a grant limits each of its consumers',
    ],
  },
  'tags, directives and second documents': {
    text: '%YAML 1.1\n---\nversion: !!int 1\nconsumers: !x []\n---\nversion: 1\n',
    problems: [
      '1:1: directives (lines that begin with "%") are not supported; remove it',
      '5:1: a second document begins here; a file holds one: remove the "---" or split the file',
    ],
  },
  'tags alone': {
    text: 'version: 1\nconsumers: !x []\ngrants: !!seq []',
    problems: [
      '2:15: tags (!name) are not supported; remove it, or quote a text that begins with "!"',
      '3:15: tags (!name) are not supported; remove it, or quote a text that begins with "!"',
    ],
  },
  'aliases that lead nowhere': {
    text: 'version: 1\nconsumers: [{ id: *a }, &b { id: b, labels: *b }]\n',
    problems: [
      '2:19: this alias (*name) has no anchor (&name) before it; quote a text that begins with "*"',
      '2:45: this alias (*name) is inside its own anchor (&name)',
    ],
  },
  'a tab that indents': {
    text: 'version: 1\nendpoints:\n\t- id: a\n',
    problems: ['3:1: not valid YAML: a tab indents this line; use blanks'],
  },
  'a carriage return without a line feed, in YAML': {
    text: 'version: 1\r\nconsumers:\r\n  - id: a\r\n    description: "a\rb"\r\n',
    problems: ['4:20: here is a carriage return without a line feed; end lines with a line feed'],
  },
  'a carriage return without a line feed, in JSON': {
    text: '{"version": 1, "consumers": [{"id":\r"a"}]}',
    problems: ['1:36: here is a carriage return without a line feed; end lines with a line feed'],
  },
  'broken YAML after a problem': {
    text: 'version: 3\nendpoints:\n  - id: [a\nconsumers: []\ngrants: [{ endpoint: a, consumer: b }]\n',
    problems: [
      '1:10: "version" must be 1',
      '3:9: "id" must be a text; it is a list',
      '4:1: not valid YAML: this line is not indented like those it belongs to, or a bracket before it is not closed',
    ],
  },
};

describe('a faulty document', () => {
  for (const [name, { text, problems }] of Object.entries(cases)) {
    it(`is reported with place and reason: ${name}`, () => {
      assert.deepEqual(problemsOf(text), problems);
    });
  }
});
