import { createChatCompletion } from './chat.ts'
import type { Endpoint } from './endpoint.ts'
import { getModel, listModels } from './models.ts'

/** Every public endpoint of the fleet. OpenAPI, the edge's permissions and the route tests start here. */
export const endpoints: readonly Endpoint[] = [createChatCompletion, listModels, getModel]
