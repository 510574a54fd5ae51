import type { AgentSpec } from '@ratchet/contracts/voice/agents'
import { createGuardedUpstream } from '@ratchet/http/create-guarded-upstream'
import type { Lifecycle } from '@ratchet/service-kit/process/run-process'
import { z } from 'zod'
import type { CallSpeech } from './calls/prepared-call.ts'
import { createLevelDetector } from './cloud-speech/level-detector.ts'
import { type CloudSpeechDeps, createCloudSynthesizer, openCloudRecognizer } from './cloud-speech/open-cloud-speech.ts'
import type { SpeechAccess } from './cloud-speech/recognition-dialect.ts'
import { type ConnectedProviders, type SpeechProviderId, speechProviders } from './cloud-speech/speech-providers.ts'
import { createLocalSpeech, type LocalSpeech } from './local-speech/local-speech.ts'
import { loadRates } from './money/price-book.ts'
import { createEnergyDetector } from './sim-speech/energy-detector.ts'
import { openSimRecognizer } from './sim-speech/sim-recognizer.ts'
import { createSimSynthesizer } from './sim-speech/sim-synthesizer.ts'
import {
  type CatalogVoice,
  loadVoices,
  pricedRecognizers,
  pricedVoices,
  shippedVoicesDir,
} from './voices/installed-speech.ts'
import { listedVoices, simulatedVoice, type VoiceList } from './voices/voice-list.ts'

const key = z.string().optional()
const address = z.url({ protocol: /^https?$/ }).optional()

/** Variables of processes that know providers of speech. A provider without a key is off. */
export const speechConfig = {
  DEEPGRAM_API_KEY: key,
  OPENAI_API_KEY: key,
  ELEVENLABS_API_KEY: key,
  /** Other addresses of the providers; they may be private, because the operator sets them. */
  DEEPGRAM_BASE_URL: address,
  OPENAI_BASE_URL: address,
  ELEVENLABS_BASE_URL: address,
  /** What `npm run speech` installs; absent: nothing is spoken or recognized on this machine. */
  VOICE_LOCAL_SPEECH_DIR: z.string().min(1).optional(),
  /** Files of voices; absent: those that ship with the service. */
  VOICE_VOICES_DIR: z.string().min(1).default(shippedVoicesDir),
}
const SpeechConfig = z.object(speechConfig)
export type SpeechConfig = z.output<typeof SpeechConfig>

/** Milliseconds to open a connection to a provider. */
const connectTimeoutMs = 2_000

/** What agents may speak and be heard with. */
export interface OfferedSpeech {
  readonly voiceList: VoiceList
  /** Ids of recognizers. */
  readonly recognizers: ReadonlySet<string>
}

export async function offeredSpeech(
  config: SpeechConfig & { readonly VOICE_RATES_DIR: string },
): Promise<OfferedSpeech> {
  const rates = await loadRates(config.VOICE_RATES_DIR)
  const local = config.VOICE_LOCAL_SPEECH_DIR === undefined ? [] : ['local']
  const providers = new Set(['sim', ...local, ...accesses(config).keys()])
  const voices = await loadVoices(config.VOICE_VOICES_DIR)
  return {
    voiceList: listedVoices([simulatedVoice, ...pricedVoices(voices, rates, providers)]),
    recognizers: pricedRecognizers(rates, providers),
  }
}

export interface SpeechContext {
  readonly lifecycle: Pick<Lifecycle, 'onStop'>
  /** Most calls at the same time. */
  readonly maxCalls: number
  readonly onLost: CloudSpeechDeps['onLost']
}

export type OpenSpeech = (spec: AgentSpec, sampleRate: number) => CallSpeech

/** Connects providers of speech. @returns what opens the speech of a call */
export async function startSpeech(config: SpeechConfig, context: SpeechContext): Promise<OpenSpeech> {
  const voices = await loadVoices(config.VOICE_VOICES_DIR)
  return openSpeechWith({ ...context, voices, providers: connect(config, context), local: startLocal(config, context) })
}

function openSpeechWith({
  voices,
  providers,
  local,
  onLost,
}: {
  readonly local: LocalSpeech | null
  readonly voices: readonly CatalogVoice[]
  readonly providers: ConnectedProviders
  readonly onLost: CloudSpeechDeps['onLost']
}): OpenSpeech {
  const deps: CloudSpeechDeps = { voices, providers, onLost, schedule, nowMs: () => performance.now() }
  return (spec, sampleRate) => {
    const recognizer = openCloudRecognizer(deps, spec, sampleRate) ?? local?.recognizer(spec, sampleRate) ?? null
    return {
      openRecognizer: recognizer ?? ((events) => openSimRecognizer(sampleRate, events)),
      synthesizer:
        createCloudSynthesizer(deps, spec, sampleRate) ??
        local?.synthesizer(spec, sampleRate) ??
        createSimSynthesizer({ sampleRate, schedule, firstAudioMs: 60 }),
      detector: recognizer === null ? createEnergyDetector(sampleRate) : createLevelDetector(sampleRate),
      endJudge: null,
    }
  }
}

function connect(config: SpeechConfig, { lifecycle, maxCalls }: SpeechContext): ConnectedProviders {
  return new Map(
    [...accesses(config)].map(([id, access]) => {
      const { baseUrl, rules } = access
      // Each call has two texts in flight at most, and those that were interrupted end at once.
      const connections = 2 * maxCalls
      const connection = createGuardedUpstream({ baseUrl, rules, connections, connectTimeoutMs })
      lifecycle.onStop(() => connection.upstream.destroy())
      return [id, { access, connection }]
    }),
  )
}

function startLocal(
  { VOICE_LOCAL_SPEECH_DIR: folder }: SpeechConfig,
  { lifecycle }: SpeechContext,
): LocalSpeech | null {
  if (folder === undefined) return null
  const local = createLocalSpeech({ folder })
  lifecycle.onStop(() => local.stop())
  return local
}

/** Providers with a key. */
function accesses(config: SpeechConfig): ReadonlyMap<SpeechProviderId, SpeechAccess> {
  const given = {
    deepgram: [config.DEEPGRAM_API_KEY, config.DEEPGRAM_BASE_URL],
    openai: [config.OPENAI_API_KEY, config.OPENAI_BASE_URL],
    elevenlabs: [config.ELEVENLABS_API_KEY, config.ELEVENLABS_BASE_URL],
  } as const
  const ids = Object.keys(given) as SpeechProviderId[]
  return new Map(
    ids.flatMap((id) => {
      const [apiKey = '', url] = given[id]
      if (apiKey === '') return []
      const baseUrl = (url ?? speechProviders[id].baseUrl).replace(/\/$/, '')
      const allowedHosts = new Set(url === undefined ? [] : [new URL(url).hostname])
      return [[id, { apiKey, baseUrl, rules: { customHosts: true, allowedHosts, loopbackHttp: url !== undefined } }]]
    }),
  )
}

function schedule(callback: () => void, delayMs: number): () => void {
  const timer = setTimeout(callback, delayMs)
  return () => clearTimeout(timer)
}
