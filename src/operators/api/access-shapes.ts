import { grantKind } from '../../resources/grant.ts';
import { limitKind } from '../../resources/limits.ts';
import { planLimitKind } from '../../resources/plan.ts';
import { jsonSchemaOf, type JsonSchema } from './schema.ts';
import { type JsonObject, objectWith } from './shapes.ts';

const text = { type: 'string' } as const;
const grant = jsonSchemaOf(grantKind, { isShown: true });

/** Whether, by what, with which limits and until when. */
const judged: JsonSchema = {
  allowed: { type: 'boolean' },
  by: {
    enum: ['open', 'grant', 'authenticated', null],
    description: 'What lets the consumer in; null where a grant is needed and there is none.',
  },
  grant,
  limits: { type: 'array', items: jsonSchemaOf(limitKind) },
  plan: {
    type: 'object',
    description: 'The plan whose limits hold beside these, over all of its endpoints together. Absent without one.',
    properties: { id: text, limits: { type: 'array', items: jsonSchemaOf(planLimitKind) } },
    required: ['id', 'limits'],
  },
  until: { ...text, format: 'date-time', description: 'When this changes by time alone.' },
};
const needed = ['allowed', 'by', 'limits'];

const obstacles: JsonSchema = {
  type: 'array',
  description: 'What stands in the way; empty where the consumer may call.',
  items: { type: 'object', properties: { code: text, what: text }, required: ['code', 'what'] },
};

/** A consumer and one endpoint. */
export const accessItem: JsonObject = objectWith('Access', {
  type: 'object',
  properties: {
    endpoint: text,
    ...judged,
    afterwards: { type: 'object', properties: judged, required: needed },
    allowFrom: {
      type: 'array',
      items: text,
      description: 'Where the consumer may call from; absent for anywhere. Each credential may have a list, too.',
    },
    obstacles,
    credentials: { type: 'array', items: text, description: 'The credentials that work.' },
    grants: {
      type: 'array',
      description: 'Every grant on the endpoint that could be the consumer’s, and what became of it.',
      items: {
        ...grant,
        properties: {
          ...(grant['properties'] as JsonSchema),
          outcome: { enum: ['in-effect', 'outranked', 'ended', 'other-labels'] },
        },
      },
    },
  },
  required: ['endpoint', ...needed, 'obstacles', 'credentials', 'grants'],
});

/** An endpoint and one consumer that it lets in. */
export const callerItem: JsonObject = objectWith('Caller', {
  type: 'object',
  properties: { consumer: text, ...judged, obstacles },
  required: ['consumer', ...needed, 'obstacles'],
});
