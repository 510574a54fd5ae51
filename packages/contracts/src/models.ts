import { z } from 'zod'
import { DedicatedState } from './dedicated-state.ts'
import { endpoint } from './endpoint.ts'

/** A model of the catalog in OpenAI's format, with its prices and limits. */
export const Model = z.object({
  id: z.string(),
  object: z.literal('model'),
  /** Unix seconds. */
  created: z.int(),
  owned_by: z.string(),
  /** USD per million tokens. */
  pricing: z.object({
    input_per_mtok: z.number(),
    output_per_mtok: z.number(),
    cached_input_per_mtok: z.number().nullable(),
  }),
  /** Tokens. */
  context_window: z.int(),
  max_output_tokens: z.int().default(0).describe('Tokens of the longest answer; 0 for models that write none.'),
  capabilities: z.array(z.string()),
  outputs_trainable: z
    .boolean()
    .default(true)
    .describe('False when the terms of its provider forbid to train other models on its answers.'),
  unsupported_parameters: z.array(z.string()).describe('Parameters that a request to the model must not set.'),
  dedicated: z
    .object({ price_usd_per_hour: z.number(), state: DedicatedState })
    .optional()
    .describe(
      'Only of a dedicated endpoint: the price of an hour of a replica, and its state. Its requests cost nothing.',
    ),
})
export type Model = z.infer<typeof Model>

export const listModels = endpoint({
  method: 'get',
  path: '/v1/models',
  summary: 'List the models that this gateway can call.',
  description: 'Every priced model whose provider has a key, in one page, as the OpenAI SDKs expect.',
  service: 'inference',
  permission: 'any',
  reply: z.object({ object: z.literal('list'), data: z.array(Model) }),
  errors: ['unknown_parameter'],
})

export const getModel = endpoint({
  method: 'get',
  path: '/v1/models/*id',
  summary: 'Read one model.',
  description: 'The id may contain slashes, plain or percent-encoded (`openai/gpt-4o-mini`).',
  service: 'inference',
  permission: 'any',
  callers: ['judging', 'eval', 'alias', 'training'],
  params: z.object({ id: z.array(z.string()).transform((segments) => segments.join('/')) }),
  reply: Model,
  errors: ['unknown_parameter', 'unknown_provider', 'model_not_found', 'dedicated_endpoint_not_found'],
})
