import type { SimulatedModel } from '../simulated-model.ts'
import { answerChatCompletion } from './chat-completion.ts'
import { answerCompaction } from './compaction.ts'
import { answerEmbeddings } from './embeddings.ts'
import type { Surface } from './reply.ts'
import { answerCohereRerank, answerRerank } from './rerank.ts'
import { answerResponses } from './responses.ts'
import type { Route, Wire } from './wire.ts'
import { errorEnvelope, WireError } from './wire-error.ts'

const openAiWire: Wire = {
  checkRequest({ headers }) {
    if (/^Bearer \S/i.test(headers.authorization ?? '')) return
    const message =
      "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth " +
      '(i.e. Authorization: Bearer YOUR_KEY).'
    throw new WireError(401, message)
  },
  errorBody: errorEnvelope,
}

const servesText = ({ task }: SimulatedModel) => task !== 'embed' && task !== 'rerank'
const servesVectors = ({ task, behaviour }: SimulatedModel) => task === 'embed' || behaviour !== null
const servesRanks = ({ task, behaviour }: SimulatedModel) => task === 'rerank' || behaviour !== null

/** The routes of OpenAI and compatible providers, and both kinds of rerank. */
export const openAiRoutes: readonly Route[] = [
  route('/v1/chat/completions', answerChatCompletion, servesText),
  route('/v1/responses', answerResponses, servesText),
  route('/v1/responses/compact', answerCompaction, servesText),
  route('/v1/embeddings', answerEmbeddings, servesVectors),
  route('/v1/rerank', answerRerank, servesRanks),
  route('/v2/rerank', answerCohereRerank, servesRanks),
]

function route(path: string, answer: Surface, servesKind: (model: SimulatedModel) => boolean): Route {
  const serves = (model: SimulatedModel) => model.provider === 'sim' && servesKind(model)
  return { path, surface: { wire: openAiWire, answer, serves } }
}
