import { simulatedCatalog } from '../simulated-catalog.ts'
import { simulatedModel } from '../simulated-model.ts'
import { WireError } from './wire-error.ts'

/** GET /v1/models: every model of OpenAI's API that is not a family with parameters. */
export function listModels(): string {
  const listed = simulatedCatalog.filter(({ id, pattern }) => pattern === undefined && id.startsWith('sim/'))
  const ids = listed.map((entry) => entry.id)
  return JSON.stringify({ object: 'list', data: ids.map(modelObject) })
}

/**
 * GET /v1/models/{id}.
 *
 * @throws WireError 404 for an unknown id
 */
export function describeModel(id: string): string {
  if (simulatedModel(id) === null) throw unknownModel(id)
  return JSON.stringify(modelObject(id))
}

/** OpenAI's refusal of a model that does not exist. */
export function unknownModel(id: string): WireError {
  const message = `The model \`${id}\` does not exist or you do not have access to it.`
  return new WireError(404, message, { code: 'model_not_found' })
}

function modelObject(id: string) {
  return { id, object: 'model', created: 1_760_000_000, owned_by: 'simulated' }
}
