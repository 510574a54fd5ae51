import type { AgentSpec } from '@ratchet/contracts/voice/agents'
import { baseLanguage } from '@ratchet/contracts/voice/languages'
import { invalidRequest } from '@ratchet/service-kit/http/service-error'
import { asksForConsent } from '../calls/call-plan.ts'
import { isSpeechProvider, speechProviders } from '../cloud-speech/speech-providers.ts'
import { recognizerId } from '../money/price-book.ts'
import { consentLanguages } from '../recordings/consent.ts'
import { chooseRecognizer } from '../voices/choose-recognizer.ts'

/** What of an installation decides which settings its calls follow. */
export interface SpeechSupport {
  /** Ids of recognizers, `<provider>/<model>`. */
  readonly recognizers: ReadonlySet<string>
}

type Rule = readonly [keyof AgentSpec, (spec: AgentSpec, support: SpeechSupport) => boolean, string]

/** Settings that calls of this installation cannot follow, with what is said about them. */
const unsupported: readonly Rule[] = [
  [
    'recording_consent',
    (spec) => asksForConsent(spec) && !consentLanguages.has(baseLanguage(spec.language)),
    `Answers are understood in ${[...consentLanguages].join(', ')}. Use \`announce\` in other languages.`,
  ],
  [
    'consent_text',
    (spec) => spec.recording_enabled && spec.recording_consent !== 'none' && spec.consent_text === null,
    'This is required with `recording_consent: "announce"` and `"ask"`.',
  ],
  ['webhook_url', (spec) => spec.webhook_url !== null, 'Calls send no webhooks here. Follow their events instead.'],
  ['speech', ({ speech, voice }) => !speaksSo(speech, voice), 'The voice does not change its speed or volume so far.'],
  [
    'stt',
    (spec, { recognizers }) => !recognizers.has(recognizerId(chooseRecognizer(spec))),
    'This installation has no such recognizer.',
  ],
  [
    'stt',
    (spec) => isLocal(spec) && !/^en\b/.test(spec.language),
    'The recognizer of this machine hears English only.',
  ],
  ['stt', (spec) => spec.stt.keywords.length > 0 && !takesKeywords(spec), 'This recognizer takes no keywords.'],
]

/**
 * An agent with a setting that nothing follows would promise what its calls do not do.
 *
 * @throws ServiceError `invalid_request` that names the first one
 */
export function checkSupport(spec: AgentSpec, support: SpeechSupport): void {
  for (const [param, isSet, message] of unsupported) {
    if (isSet(spec, support)) throw invalidRequest(param, `\`${param}\`: ${message}`)
  }
}

function speaksSo({ speed, volume }: AgentSpec['speech'], voice: string): boolean {
  if (volume !== 1) return false
  if (speed === 1) return true
  const [provider = ''] = voice.split('/')
  if (provider === 'local') return true
  const speeds = isSpeechProvider(provider) ? speechProviders[provider].speeds : null
  return speeds !== null && speed >= speeds.min && speed <= speeds.max
}

function isLocal(spec: AgentSpec): boolean {
  return chooseRecognizer(spec).provider === 'local'
}

/** Recognizers that are told which words to expect. */
const ofKeywords = /^(?:deepgram\/.+|openai\/gpt-live-transcribe)$/

function takesKeywords(spec: AgentSpec): boolean {
  return ofKeywords.test(recognizerId(chooseRecognizer(spec)))
}
