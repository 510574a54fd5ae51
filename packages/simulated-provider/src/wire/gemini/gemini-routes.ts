import type { SimulatedModel } from '../../simulated-model.ts'
import type { Surface } from '../reply.ts'
import type { Route } from '../wire.ts'
import { answerBatchEmbed } from './batch-embed.ts'
import { geminiWire } from './gemini-wire.ts'
import { answerGenerateContent, answerStreamGenerateContent } from './generate-content.ts'

const servesText = ({ task }: SimulatedModel) => task !== 'embed'
const servesVectors = ({ task, behaviour }: SimulatedModel) => task === 'embed' || behaviour !== null

/** The routes of the Gemini API; streams are requested with `?alt=sse`. */
export const geminiRoutes: readonly Route[] = [
  route(/^\/v1beta\/models\/(?<model>.+):generateContent$/, answerGenerateContent, servesText),
  route(/^\/v1beta\/models\/(?<model>.+):streamGenerateContent$/, answerStreamGenerateContent, servesText),
  route(/^\/v1beta\/models\/(?<model>.+):batchEmbedContents$/, answerBatchEmbed, servesVectors),
]

function route(path: RegExp, answer: Surface, servesKind: (model: SimulatedModel) => boolean): Route {
  const serves = (model: SimulatedModel) => model.provider === 'sim-google' && servesKind(model)
  return { path, surface: { wire: geminiWire, answer, serves } }
}
