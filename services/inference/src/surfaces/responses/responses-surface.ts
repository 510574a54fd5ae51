import { eventFrame } from '../../wire/responses/event-writer.ts'
import { unsupportedResponsesParameter } from '../../wire/responses/unsupported-parameter.ts'
import type { Surface } from '../surface.ts'
import { readResponsesFacts } from './check-request.ts'
import { finishResponse } from './own-response.ts'
import { replayResponse } from './replay-response.ts'
import { createResponsesTracker } from './responses-tracker.ts'

/** OpenAI's Responses. */
export const responsesSurface: Surface = {
  dialect: 'responses',
  serves: 'chat',
  readFacts: readResponsesFacts,
  unsupportedParameter: unsupportedResponsesParameter,
  finishReply: finishResponse,
  // The first and the last event hold the request's instructions and tools, the last one the whole answer too.
  stream: { maxEventBytes: 16 * 1_048_576, createTracker: createResponsesTracker, replay: replayResponse },
  /** With the error under `error` too, where the OpenAI SDKs look for it and throw. */
  errorFrame: ({ error }) => eventFrame('error', JSON.stringify({ ...error, type: 'error', error })),
}
