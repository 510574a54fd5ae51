import type { AgentSpec } from '@ratchet/contracts/voice/agents'
import { openGuardedSocket } from '@ratchet/http/open-guarded-socket'
import type { Recognizer, RecognizerEvents, Synthesizer } from '../engine/ports.ts'
import { chooseRecognizer, usualRecognizer } from '../voices/choose-recognizer.ts'
import type { CatalogVoice } from '../voices/installed-speech.ts'
import { createHttpSynthesizer } from './http-synthesizer.ts'
import type { RecognitionDialect } from './recognition-dialect.ts'
import { type ConnectedProviders, isSpeechProvider, speechProviders } from './speech-providers.ts'
import { openStreamRecognizer, type StreamRecognizerDeps } from './stream-recognizer.ts'

export interface CloudSpeechDeps {
  readonly providers: ConnectedProviders
  readonly voices: readonly CatalogVoice[]
  readonly schedule: StreamRecognizerDeps['schedule']
  readonly nowMs: () => number
  readonly onLost: (lost: { readonly provider: string; readonly reason: string }) => void
}

type Heard = Pick<AgentSpec, 'voice' | 'stt' | 'language'>

/** The recognizer of an agent at its provider, with those of other providers behind it; null when its provider has no key. */
export function openCloudRecognizer(
  deps: CloudSpeechDeps,
  spec: Heard,
  sampleRate: number,
): ((events: RecognizerEvents) => Recognizer) | null {
  const { provider, model } = chooseRecognizer(spec)
  const first = dialectOf(deps, spec, { provider, model, sampleRate })
  if (first === null) return null
  const others = [...deps.providers.keys()].flatMap((id) =>
    id === provider ? [] : (dialectOf(deps, spec, { provider: id, model: usualRecognizer(id), sampleRate }) ?? []),
  )
  const { schedule, nowMs, onLost } = deps
  return (events) =>
    openStreamRecognizer(
      {
        dialects: [first, ...others],
        sampleRate,
        schedule,
        nowMs,
        open: openGuardedSocket,
        onLost: (reason) => onLost({ provider, reason: `recognition: ${reason}` }),
      },
      events,
    )
}

function dialectOf(
  { providers }: CloudSpeechDeps,
  { language, stt }: Heard,
  {
    provider,
    model,
    sampleRate,
  }: { readonly provider: string; readonly model: string | null; readonly sampleRate: number },
): RecognitionDialect | null {
  if (!isSpeechProvider(provider) || model === null) return null
  const connected = providers.get(provider)
  const recognition = speechProviders[provider].recognition
  if (connected === undefined || recognition === null) return null
  return recognition(connected.access, { model, language, keywords: stt.keywords, sampleRate })
}

/**
 * The voice of an agent. What its provider does not speak is spoken by a voice of another one that speaks the language, or by the
 * same voice once more. Null when its provider has no key.
 */
export function createCloudSynthesizer(
  deps: CloudSpeechDeps,
  { voice, language, speech }: Pick<AgentSpec, 'voice' | 'language' | 'speech'>,
  sampleRate: number,
): Synthesizer | null {
  const own = deps.voices.find(({ id }) => id === voice)
  const first = own === undefined ? null : synthesizerOf(deps, own, { speed: speech.speed, sampleRate })
  if (first === null) return null
  const second = fallbackOf(deps, voice, language)
  const fallback = second === null ? first : (synthesizerOf(deps, second, { speed: 1, sampleRate }) ?? first)
  return { speak: (request, events) => (request.isRetry ? fallback : first).speak(request, events) }
}

function fallbackOf({ providers, voices }: CloudSpeechDeps, voice: string, language: string): CatalogVoice | null {
  const [provider] = voice.split('/')
  const gender = voices.find(({ id }) => id === voice)?.gender
  const others = voices.filter(({ id, languages }) => {
    const [other = ''] = id.split('/')
    return other !== provider && isSpeechProvider(other) && providers.has(other) && languages.includes(language)
  })
  return others.find((each) => each.gender === gender) ?? others[0] ?? null
}

function synthesizerOf(
  { providers, onLost }: CloudSpeechDeps,
  { id, voice, model }: CatalogVoice,
  { speed, sampleRate }: { readonly speed: number; readonly sampleRate: number },
): Synthesizer | null {
  const [provider = ''] = id.split('/')
  if (!isSpeechProvider(provider)) return null
  const connected = providers.get(provider)
  if (connected === undefined) return null
  const { access, connection } = connected
  return createHttpSynthesizer({
    connection,
    dialect: speechProviders[provider].voice(access, { voice, model }, { speed, lineRate: sampleRate }),
    sampleRate,
    onLost: (reason) => onLost({ provider, reason: `voice: ${reason}` }),
  })
}
