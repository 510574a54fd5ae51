import { eventFrame } from '../../wire/responses/event-writer.ts'
import { unsupportedResponsesParameter } from '../../wire/responses/unsupported-parameter.ts'
import type { Surface } from '../surface.ts'
import { readResponsesFacts } from './check-request.ts'
import { finishResponse } from './own-response.ts'
import { replayResponse } from './replay-response.ts'
import { createResponsesTracker } from './responses-tracker.ts'
import { withoutUnpriced } from './without-unpriced.ts'

/** The Responses API of OpenAI. */
export const responsesSurface: Surface = {
  dialect: 'responses',
  serves: 'chat',
  readFacts: readResponsesFacts,
  unsupportedParameter: unsupportedResponsesParameter,
  withoutUnpriced,
  finishReply: finishResponse,
  stream: { createTracker: createResponsesTracker, replay: replayResponse },
  /** The error is repeated under `error`, because the OpenAI SDKs throw only what they find there. */
  errorFrame: ({ error }) => eventFrame('error', JSON.stringify({ ...error, type: 'error', error })),
}
