import type { AgentSpec } from '@ratchet/contracts/voice/agents'
import { invalidRequest } from '@ratchet/service-kit/http/service-error'

/** Settings that calls of this installation cannot follow, with what is said about them. */
const unsupported: readonly (readonly [keyof AgentSpec, (spec: AgentSpec) => boolean, string])[] = [
  ['recording_enabled', (spec) => spec.recording_enabled, 'Calls are not recorded here.'],
  ['voicemail', (spec) => spec.voicemail.detect, 'Calls find no voicemail here.'],
  ['webhook_url', (spec) => spec.webhook_url !== null, 'Calls send no webhooks here. Follow their events instead.'],
  ['speech', ({ speech }) => speech.speed !== 1 || speech.volume !== 1, 'No voice here changes its speed or volume.'],
  ['stt', ({ stt }) => stt.provider !== null && stt.provider !== 'sim', 'This installation has no such recognizer.'],
]

/**
 * An agent with a setting that nothing follows would promise what its calls do not do.
 *
 * @throws ServiceError `invalid_request` that names the first one
 */
export function checkSupport(spec: AgentSpec): void {
  for (const [param, isSet, message] of unsupported) {
    if (isSet(spec)) throw invalidRequest(param, `\`${param}\`: ${message}`)
  }
}
