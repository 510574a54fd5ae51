import type { OtherTask, SimulatedModel, Task } from '../simulated-model.ts'
import { answerChatCompletion } from './chat-completion.ts'
import { answerCompaction } from './compaction.ts'
import { answerEmbeddings } from './embeddings.ts'
import { answerImages } from './images.ts'
import { answerModerations } from './moderation.ts'
import type { Surface } from './reply.ts'
import { answerCohereRerank, answerRerank } from './rerank.ts'
import { answerResponses } from './responses.ts'
import { answerSpeech, answerTranscription } from './sound.ts'
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

const otherTasks: readonly Task[] = [
  'embed',
  'rerank',
  'moderate',
  'image',
  'speech',
  'transcribe',
] satisfies OtherTask[]
const servesText = ({ task }: SimulatedModel) => !otherTasks.includes(task)
/** A model with a defect answers everywhere. */
const serves =
  (expected: OtherTask) =>
  ({ task, behaviour }: SimulatedModel) =>
    task === expected || behaviour !== null

/** The routes of OpenAI and compatible providers, and both kinds of rerank. */
export const openAiRoutes: readonly Route[] = [
  route('/v1/chat/completions', answerChatCompletion, servesText),
  route('/v1/responses', answerResponses, servesText),
  route('/v1/responses/compact', answerCompaction, servesText),
  route('/v1/embeddings', answerEmbeddings, serves('embed')),
  route('/v1/rerank', answerRerank, serves('rerank')),
  route('/v2/rerank', answerCohereRerank, serves('rerank')),
  route('/v1/moderations', answerModerations, serves('moderate')),
  route('/v1/images/generations', answerImages, serves('image')),
  route('/v1/audio/speech', answerSpeech, serves('speech')),
  route('/v1/audio/transcriptions', answerTranscription, serves('transcribe')),
]

function route(path: string, answer: Surface, servesKind: (model: SimulatedModel) => boolean): Route {
  const isServed = (model: SimulatedModel) => model.provider === 'sim' && servesKind(model)
  return { path, surface: { wire: openAiWire, answer, serves: isServed } }
}
