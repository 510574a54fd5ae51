import type { UpstreamCall } from '@ratchet/http/upstream-call'
import type { CatalogModel } from '../catalog/catalog.ts'
import { fitToModel } from '../request/fit-to-model.ts'
import { parseBody } from '../request/parse-body.ts'
import { chatSurface } from '../surfaces/chat/chat-surface.ts'
import { embeddingsSurface } from '../surfaces/embeddings/embeddings-surface.ts'
import { imagesSurface } from '../surfaces/images/images-surface.ts'
import { moderationsSurface } from '../surfaces/moderations/moderations-surface.ts'
import { rerankSurface } from '../surfaces/rerank/rerank-surface.ts'
import { speechSurface } from '../surfaces/sound/speech-surface.ts'
import { transcriptionsSurface } from '../surfaces/sound/transcriptions-surface.ts'
import type { Surface } from '../surfaces/surface.ts'
import { answerLimits } from '../wire/answer-limits.ts'
import type { Provider, ProviderFailure, ProviderRequest } from '../wire/provider.ts'
import { silentSound } from '../wire/sound/sound-seconds.ts'

const maxTokens = 16

interface Trial {
  readonly surface: Surface
  readonly body: object
}

/** A second of silence as a WAV file, in base64. */
const silence = silentSound(1).toString('base64')

/** The smallest request for each kind of model. */
const trials: Readonly<Record<CatalogModel['kind'], Trial>> = {
  chat: {
    surface: chatSurface,
    body: { messages: [{ role: 'user', content: 'Answer with OK.' }], max_tokens: maxTokens },
  },
  embedding: { surface: embeddingsSurface, body: { input: 'OK' } },
  rerank: { surface: rerankSurface, body: { query: 'OK', documents: ['OK'] } },
  moderation: { surface: moderationsSurface, body: { input: 'OK' } },
  speech: { surface: speechSurface, body: { input: 'OK', voice: 'alloy' } },
  transcription: { surface: transcriptionsSurface, body: { file: { name: 'ok.wav', data: silence } } },
  image: { surface: imagesSurface, body: { prompt: 'A dot.' } },
}

/** Images cost most. */
const kinds: readonly CatalogModel['kind'][] = [
  'chat',
  'embedding',
  'rerank',
  'moderation',
  'transcription',
  'speech',
  'image',
]

/** The model of a provider that costs least to call, a chat model if there is one; null when it has no model. */
export function modelToTry(models: readonly CatalogModel[], provider: string): CatalogModel | null {
  const ofProvider = models.filter((model) => model.provider === provider)
  const sorted = ofProvider.toSorted((one, other) => rank(one) - rank(other) || compare(priceOf(one), priceOf(other)))
  return sorted[0] ?? null
}

const rank = ({ kind }: CatalogModel) => kinds.indexOf(kind)
const priceOf = ({ rates, perRequestNano, perSearchNano, perUnitNano }: CatalogModel) =>
  rates.output + rates.input + perRequestNano + perSearchNano + perUnitNano
const compare = (one: bigint, other: bigint) => (one < other ? -1 : one > other ? 1 : 0)

/** @param upstreamModel the model's name at the address of the key */
export function trialRequest(requestId: string, model: CatalogModel, upstreamModel: string): ProviderRequest {
  const { surface, body } = trials[model.kind]
  const parsed = parseBody(Buffer.from(JSON.stringify({ model: model.id, ...body })))
  const leniency = { dropsParameters: true, dropped: new Set<string>() }
  const fitted = fitToModel(parsed, { surface, model, leniency })
  const { dialect } = surface
  const requested = { model, dialect, maxTokens, n: 1, items: 1, requestBytes: fitted.bytes.length }
  const limits = answerLimits(requested)
  return { requestId, dialect, model: { ...model, upstreamModel }, ...fitted, stream: false, limits, leniency }
}

/** Calls a provider once. Null when it answered. */
export function callOnce(
  provider: Provider,
  request: ProviderRequest,
  timeoutMs: number,
): Promise<ProviderFailure | null> {
  return new Promise((resolve) => {
    const end = (failure: ProviderFailure | null) => {
      clearTimeout(timer)
      resolve(failure)
    }
    let call: UpstreamCall | undefined
    const timer = setTimeout(() => call?.abort(), timeoutMs)
    call = provider.start(request, {
      onReply: () => end(null),
      onStreamStart() {},
      onStreamData() {},
      onStreamEnd: () => end(null),
      onFailure: end,
    })
  })
}
