import { z } from 'zod'
import { endpoint } from './endpoint.ts'

/** For other services; the edge does not forward to it. It includes models that the workspace cannot call. */
export const modelsNamed = endpoint({
  method: 'get',
  path: '/internal/catalog/names/:name',
  summary: 'List the models that a name matches.',
  description: 'Includes models of providers that the workspace has no key for.',
  service: 'inference',
  audience: 'internal',
  callers: ['alias'],
  params: z.strictObject({ name: z.string() }),
  reply: z.object({
    models: z.array(z.string()).describe('Catalog ids; empty for a name that the catalog does not contain.'),
  }),
})
