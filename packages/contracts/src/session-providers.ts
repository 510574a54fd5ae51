import { z } from 'zod'
import { endpoint, Nothing } from './endpoint.ts'

const service = 'inference'
const audience = 'session'

export const ListedProvider = z.object({
  object: z.literal('provider'),
  id: z.string().describe('Its name in model ids: `openai` in `openai/gpt-4o`.'),
  name: z.string(),
  models: z.int().describe('Number of models that the catalog names one by one.'),
  name_patterns: z.array(z.string()).describe('Families of further models, by the form of their ids: `sim/slow-<ms>`.'),
  installation_key: z.boolean().describe('Whether requests of workspaces without a key of their own can use it.'),
})
export type ListedProvider = z.output<typeof ListedProvider>

export const WorkspaceProvider = ListedProvider.extend({
  requests_7d: z.int().describe('Requests of the workspace that it was asked to answer in the last seven days.'),
})

export const listProviders = endpoint({
  method: 'get',
  path: '/session/providers',
  summary: 'List the providers of the catalog.',
  description: 'A workspace may have a key of its own for each of them.',
  service,
  audience,
  permission: 'any',
  reply: z.object({ object: z.literal('list'), data: z.array(WorkspaceProvider) }),
})

export const ProviderKeyTest = z.object({
  object: z.literal('provider_key_test'),
  provider: z.string(),
  model: z
    .string()
    .describe(
      'The model that was called: the chat model with the lowest price, or another one when the provider has no chat model.',
    ),
  failure: z
    .enum(['misconfigured', 'refused', 'throttled', 'unavailable', 'timed_out', 'broken'])
    .nullable()
    .describe('Null when it answered. `misconfigured`: the key, or the name of the model at this address, is wrong.'),
  http_status: z.int().nullable().describe('Of the answer; null without one.'),
  message: z.string().nullable(),
  duration_ms: z.int(),
})
export type ProviderKeyTest = z.output<typeof ProviderKeyTest>

export const testProviderKey = endpoint({
  method: 'post',
  path: '/session/providers/:provider/test',
  summary: "Test the workspace's own key for a provider.",
  description:
    'Calls a model with a few tokens, with the key that is in use now. The provider may charge its account for it; the wallet is not.',
  service,
  audience,
  permission: 'owner_admin',
  guard: true,
  params: z.strictObject({ provider: z.string() }),
  body: Nothing,
  reply: ProviderKeyTest,
  errors: ['not_found'],
})

export const providerEndpoints = [listProviders, testProviderKey] as const
