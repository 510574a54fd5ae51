import { z } from 'zod'
import { TrainingEntry } from './catalog-file.ts'
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

/** For the training service; the edge does not forward to it. */
export const trainableModels = endpoint({
  method: 'get',
  path: '/internal/catalog/trainable',
  summary: 'List the models of the catalog that can be trained.',
  description: 'Includes models of providers that the workspace has no key for, because training does not call them.',
  service: 'inference',
  audience: 'internal',
  callers: ['training'],
  reply: z.object({
    models: z.array(
      z.object({ id: z.string(), upstream_model: z.string(), context_window: z.int(), training: TrainingEntry }),
    ),
  }),
})
