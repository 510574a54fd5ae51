import { z } from 'zod'
import { endpoint } from './endpoint.ts'

/** What the catalog knows, whoever may call it; the edge has no way here. */
export const modelsNamed = endpoint({
  method: 'get',
  path: '/internal/catalog/names/:name',
  summary: 'See which models go by a name.',
  description: 'Also those of providers that the workspace has no key for.',
  service: 'inference',
  params: z.strictObject({ name: z.string() }),
  reply: z.object({ models: z.array(z.string()).describe('Ids; none for a name that the catalog does not know.') }),
})
